/**
 * JSON columns that rows contain parsed, with the type of their content. Their CHECK is `json_valid`. For writing,
 * `bind` converts them to text. Other JSON columns stay text: those used in SQL (`namespaces.lineage` for `json_each`),
 * those compared or copied as a whole, and sealed ones.
 */
export const JSON_COLUMNS: Readonly<Record<string, string>> = {
  'audit_events.details': 'object',
  'broadcast_messages.target_access_levels': 'number[]',
  'bulk_import_entities.cursor': 'object',
  'bulk_import_entities.stats': 'object',
  'deliveries.request_headers': 'Record<string, string>',
  'deliveries.response_headers': 'Record<string, string>',
  'deploy_tokens.scopes': 'string[]',
  'draft_notes.position': 'object',
  'feature_flag_legacy_scopes.strategies': 'object[]',
  'gpg_keys.subkeys': 'string[]',
  'gpg_keys.uids': '{ name: string; email: string }[]',
  'mails.headers': 'Record<string, string>',
  'mails.recipients': 'string[]',
  'oauth_applications.scopes': 'string[]',
  'oauth_grants.scopes': 'string[]',
  'oauth_tokens.scopes': 'string[]',
  'personal_access_tokens.scopes': 'string[]',
  'pull_mirrors.diverged': 'string[]',
  'runners.tag_list': 'string[]',
  'secure_files.metadata': 'Record<string, unknown>',
  'signing_keys.jwk': 'object',
  'snippets.files': 'string[]',
}
