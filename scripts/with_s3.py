#!/usr/bin/env python3
"""Runs a command beside a server of S3's protocol, by moto of the package index, which checks signatures.

python3 scripts/with_s3.py COMMAND ...

The command finds the server, a bucket and credentials in the variables that tests and programs read; its status is the
status.
"""

from __future__ import annotations

import os
import subprocess
import sys

import boto3
from botocore.exceptions import ClientError

#: Requests that come before signatures are checked: what makes the user, the key, its rights and the bucket.
UNCHECKED = 4
BUCKET = "lookups"

#: Any names serve for what comes before.
FIRST = {"aws_access_key_id": "first", "aws_secret_access_key": "first", "region_name": "us-east-1"}
RIGHTS = '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:*","Resource":"*"}]}'


def variables(url: str) -> dict[str, str]:
    """Makes the bucket and a user, and returns what names them."""
    users = boto3.client("iam", endpoint_url=url, **FIRST)
    users.create_user(UserName="tests")
    key = users.create_access_key(UserName="tests")["AccessKey"]
    users.put_user_policy(UserName="tests", PolicyName="all", PolicyDocument=RIGHTS)
    boto3.client("s3", endpoint_url=url, **FIRST).create_bucket(Bucket=BUCKET)
    return {
        "AWS_ACCESS_KEY_ID": key["AccessKeyId"],
        "AWS_SECRET_ACCESS_KEY": key["SecretAccessKey"],
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": url,
        "AWS_ALLOW_HTTP": "true",
        "CRYPTABLE_TEST_S3": f"s3://{BUCKET}/tests",
    }


def check_signatures(url: str, found: dict[str, str]) -> None:
    """Fails if the server takes requests of a wrong secret."""
    wrong = {"aws_access_key_id": found["AWS_ACCESS_KEY_ID"], "aws_secret_access_key": "wrong"}
    try:
        boto3.client("s3", endpoint_url=url, region_name="us-east-1", **wrong).list_objects(Bucket=BUCKET)
    except ClientError as error:
        if error.response["Error"]["Code"] == "SignatureDoesNotMatch":
            return
        raise
    sys.exit("the server checks no signatures")


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    # Read when the server is imported.
    os.environ["INITIAL_NO_AUTH_ACTION_COUNT"] = str(UNCHECKED)
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        url = "http://{}:{}".format(*server.get_host_and_port())
        found = variables(url)
        check_signatures(url, found)
        sys.exit(subprocess.run(sys.argv[1:], env=os.environ | found, check=False).returncode)
    finally:
        server.stop()


if __name__ == "__main__":
    main()
