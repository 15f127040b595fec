type Scope = { value: string; help: string }

/** The scopes of an access token of a project or group. */
export const ACCESS_SCOPES: readonly Scope[] = [
  { value: 'api', help: 'Everything its role may do' },
  { value: 'read_api', help: 'Read everything its role may see' },
  { value: 'read_repository', help: 'Clone and fetch' },
  { value: 'write_repository', help: 'Clone, fetch and push' },
  { value: 'read_registry', help: 'Fetch images' },
  { value: 'write_registry', help: 'Push images' },
]

/** The scopes of a deploy token. */
export const DEPLOY_SCOPES: readonly Scope[] = [
  { value: 'read_repository', help: 'Clone and fetch' },
  { value: 'read_registry', help: 'Fetch images' },
  { value: 'write_registry', help: 'Push images' },
  { value: 'read_package_registry', help: 'Fetch packages' },
  { value: 'write_package_registry', help: 'Publish packages' },
]
