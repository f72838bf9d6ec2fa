"""What traced processes leave behind, and how it becomes one trace."""
