"""Files for other programs, read back without anything of the program that wrote them."""
