"""What every tester holds to, whatever it is made of."""
