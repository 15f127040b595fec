CREATE INDEX ssh_keys_deploy ON ssh_keys (id) WHERE is_deploy_key = 1;
