import json
import sys

from standardwebhooks.webhooks import Webhook

given = json.load(sys.stdin)
print(json.dumps(Webhook(given["secret"]).verify(given["body"], given["headers"])))
