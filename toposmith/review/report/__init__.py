"""Pages to send: a review as Markdown and as HTML that opens offline."""
