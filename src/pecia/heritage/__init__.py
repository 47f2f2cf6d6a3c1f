"""What is known of heritage institutions and their sources: attributes that four strategies share, classes, trust, names."""
