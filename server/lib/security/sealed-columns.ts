/**
 * All sealed columns and their purposes; a key rotation uses this list. `Secrets.seal` accepts only these purposes, so
 * an unlisted column does not compile.
 */
export const SEALED_COLUMNS = [
  { table: 'backup_schedule', column: 'passphrase', purpose: 'backup_schedule.passphrase' },
  { table: 'bulk_imports', column: 'access_token', purpose: 'bulk_imports.access_token' },
  { table: 'ci_job_details', column: 'own_variables', purpose: 'ci_job_details.own_variables' },
  { table: 'ci_job_exports', column: 'value', purpose: 'ci_job_exports.value' },
  { table: 'ci_pipeline_variables', column: 'value', purpose: 'ci_pipeline_variables.value' },
  { table: 'ci_schedule_variables', column: 'value', purpose: 'ci_schedule_variables.value' },
  { table: 'ci_triggers', column: 'token', purpose: 'ci_triggers.token' },
  { table: 'ci_variables', column: 'value', purpose: 'ci_variables.value' },
  { table: 'exports', column: 'upload_url', purpose: 'exports.upload_url' },
  { table: 'feature_flag_clients', column: 'token', purpose: 'feature_flag_clients.token' },
  { table: 'gist_imports', column: 'credentials', purpose: 'gist_imports.credentials' },
  { table: 'hook_events', column: 'payload', purpose: 'hook_events.payload' },
  { table: 'import_runs', column: 'credentials', purpose: 'import_runs.credentials' },
  { table: 'integrations', column: 'secrets', purpose: 'integrations.secrets' },
  { table: 'namespaces', column: 'runners_token', purpose: 'runners_token' },
  { table: 'projects', column: 'runners_token', purpose: 'runners_token' },
  { table: 'pull_mirrors', column: 'credentials', purpose: 'pull_mirrors.credentials' },
  { table: 'remote_mirrors', column: 'credentials', purpose: 'remote_mirrors.credentials' },
  { table: 'remote_mirrors', column: 'ssh_private_key', purpose: 'remote_mirrors.ssh_private_key' },
  { table: 'runner_settings', column: 'built_in_token', purpose: 'runner_settings.built_in_token' },
  { table: 'runner_settings', column: 'registration_token', purpose: 'runner_settings.registration_token' },
  { table: 'web_hooks', column: 'custom_headers', purpose: 'web_hooks.custom_headers' },
  { table: 'web_hooks', column: 'token', purpose: 'web_hooks.token' },
  { table: 'web_hooks', column: 'url', purpose: 'web_hooks.url' },
  { table: 'web_hooks', column: 'url_variables', purpose: 'web_hooks.url_variables' },
] as const

/** Columns with a JSON object of sealed values, each sealed for `<purpose>.<name>`. */
export const SEALED_MAPS = [
  { table: 'application_settings', column: 'secrets', purpose: 'application_settings' },
] as const

/** Files of `dataPaths().secureFiles`. Each file is sealed as a whole; its purpose is this prefix and its name. */
export const SEALED_FILES = 'secure_files.content'

/** Sealed values that are issued for minutes and not stored. A key rotation invalidates them. */
type TemporaryPurpose = 'chat_names.request' | 'lfs.grant'

/** The purpose that a value is sealed for. */
export type Purpose =
  | (typeof SEALED_COLUMNS)[number]['purpose']
  | `${(typeof SEALED_MAPS)[number]['purpose']}.${string}`
  | `${typeof SEALED_FILES}:${string}`
  | TemporaryPurpose
