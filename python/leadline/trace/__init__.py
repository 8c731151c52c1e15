"""Pictures, pages and tables of what iotrace recorded."""
