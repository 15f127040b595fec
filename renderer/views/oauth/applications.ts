import type { Item, Result } from '../../api/client.ts'
import { t } from '../../locales/t.ts'

/** An OAuth application with what its owner sees. */
export type Application = Item<'GET /-/profile/applications'>
/** The editable fields; scopes are separated by spaces. */
export type ApplicationInput = { name: string; redirect_uri: string; scopes: string; confidential: boolean }

type WithSecret = Pick<
  Result<'POST /-/profile/applications'>,
  'application_name' | 'application_id' | 'secret'
>
/** The actions on the applications of an owner. */
export type ApplicationVerbs = {
  create: (input: ApplicationInput) => Promise<WithSecret>
  update: (id: number, input: ApplicationInput) => Promise<unknown>
  renew: (id: number) => Promise<WithSecret>
  remove: (id: number) => Promise<unknown>
}

/** The labels of the scopes. */
export const OAUTH_SCOPES = [
  { value: 'api', help: t('credentials.full_api_access_on_your_behalf') },
  { value: 'read_api', help: t('credentials.read_only_api_access_on_your_behalf') },
  { value: 'read_user', help: t('credentials.read_your_profile') },
  { value: 'read_repository', help: t('credentials.clone_and_fetch') },
  { value: 'write_repository', help: t('credentials.clone_fetch_and_push') },
  { value: 'openid', help: t('oauth.read_your_identity') },
  { value: 'profile', help: t('oauth.your_name_and_picture') },
  { value: 'email', help: t('oauth.your_email_address') },
  { value: 'sudo', help: t('oauth.act_as_any_user_administrators_only') },
] as const
