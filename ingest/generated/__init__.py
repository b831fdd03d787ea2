"""Documents that we set ourselves, so that every region, cell and character on them is known exactly."""
