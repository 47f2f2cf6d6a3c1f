"""What every strategy shares: limits, boundaries, one packer, and the making of records."""
