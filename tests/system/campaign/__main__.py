import sys

from tests.system.campaign import main

sys.exit(main())
