import type { Item, Params, Result } from './client.ts'
import type { Merged } from './merged.ts'

// Entity types by their names in the window, derived from the endpoints.

export type Session = Result<'GET /-/session'>
/** The signed-in user, with what only they and administrators may see. */
export type CurrentUser = Merged<NonNullable<Session['user']>>
export type FirstRun = Result<'GET /-/first_run'>
export type FirstRunDone = Result<'POST /-/first_run'>
export type User = Item<'GET /users'>
export type Project = Result<'GET /projects/:id'>
/** A project in a list; simple answers leave fields out. */
export type ProjectInList = Item<'GET /projects'>
export type Visibility = 'private' | 'internal' | 'public'
export type Group = Item<'GET /groups'>
export type GroupDetail = Result<'GET /groups/:id'>
export type Member = Item<'GET /projects/:id/members'>
export type PersonalAccessToken = Item<'GET /personal_access_tokens'>
export type PersonalAccessTokenWithToken = Result<'POST /-/profile/personal_access_tokens'>
export type TokenScope = Params<'POST /-/profile/personal_access_tokens'>['scopes'][number]
export type ApplicationSettings = Result<'GET /application/settings'>
