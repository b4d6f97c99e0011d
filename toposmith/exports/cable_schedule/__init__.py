"""The cable schedule: every cable with both its ends, in an order that a technician can follow."""
