import { t } from '../../locales/t.ts'
type Scope = { value: string; help: string }

/** The scopes of a personal access token. */
export const PERSONAL_SCOPES: readonly Scope[] = [
  { value: 'api', help: t('credentials.full_api_access_on_your_behalf') },
  { value: 'read_api', help: t('credentials.read_only_api_access_on_your_behalf') },
  { value: 'read_user', help: t('credentials.read_your_profile') },
  { value: 'read_repository', help: t('credentials.clone_and_fetch_over_http') },
  { value: 'write_repository', help: t('credentials.clone_fetch_and_push_over_http') },
  { value: 'sudo', help: t('credentials.act_as_any_user') },
]

/** The scopes of an access token of a project or group. */
export const ACCESS_SCOPES: readonly Scope[] = [
  { value: 'api', help: t('credentials.full_api_access_limited_by_its_role') },
  { value: 'read_api', help: t('credentials.read_only_api_access_limited_by_its') },
  { value: 'read_repository', help: t('credentials.clone_and_fetch') },
  { value: 'write_repository', help: t('credentials.clone_fetch_and_push') },
  { value: 'read_registry', help: t('credentials.pull_images') },
  { value: 'write_registry', help: t('credentials.push_images') },
]

/** The scopes of a deploy token. */
export const DEPLOY_SCOPES: readonly Scope[] = [
  { value: 'read_repository', help: t('credentials.clone_and_fetch') },
  { value: 'read_registry', help: t('credentials.pull_images') },
  { value: 'write_registry', help: t('credentials.push_images') },
  { value: 'read_package_registry', help: t('credentials.download_packages') },
  { value: 'write_package_registry', help: t('credentials.publish_packages') },
]
