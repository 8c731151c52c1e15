"""Pictures of reports, and the page that shows them."""
