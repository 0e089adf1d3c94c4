"""What would change the way of packets: commands for one export, tried before they are said."""
