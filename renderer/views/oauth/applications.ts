import type { Item, Result } from '../../api/client.ts'

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
  { value: 'api', help: 'Everything you may do' },
  { value: 'read_api', help: 'Read everything you may see' },
  { value: 'read_user', help: 'Read your profile' },
  { value: 'read_repository', help: 'Clone and fetch' },
  { value: 'write_repository', help: 'Clone, fetch and push' },
  { value: 'openid', help: 'Know who you are' },
  { value: 'profile', help: 'Your name and picture' },
  { value: 'email', help: 'Your email address' },
  { value: 'sudo', help: 'Act as any user, for administrators' },
] as const
