"""Says as JSON what `sam local invoke` would run for each function of a template, resolved by SAM itself."""

import json
import logging
import os
import sys

from samcli.commands.local.lib.local_lambda import LocalLambdaRunner
from samcli.lib.providers.sam_function_provider import SamFunctionProvider
from samcli.lib.providers.sam_stack_provider import SamLocalStackProvider

# Of every resource that is no function SAM says that it is none.
logging.disable(logging.WARNING)

template, env_vars, *names = sys.argv[1:]
folder = os.path.dirname(template)
stacks, _ = SamLocalStackProvider.get_stacks(template)
provider = SamFunctionProvider(stacks)
with open(env_vars) as file:
    overrides = json.load(file)
runner = LocalLambdaRunner(
    local_runtime=None,
    function_provider=provider,
    cwd=folder,
    real_path=folder,
    aws_region=overrides["Parameters"]["AWS_REGION"],
    env_vars_values=overrides,
)


def resolved(name):
    config = runner.get_invoke_config(runner.get_function(name))
    return {
        "name": config.name,
        "handler": config.handler,
        "runtime": config.runtime,
        "code": config.code_abs_path,
        "environment": config.env_vars.resolve(),
    }


every = [function.name for function in provider.get_all()]
json.dump({"every": every, "functions": [resolved(name) for name in names]}, sys.stdout)
