"""One folder for each strategy; they are strangers to one another."""
