import { createToken, tokenOwner } from '../../../auth/index.ts'
import { Failure } from '../../../../lib/fail.ts'
import { userByUsername } from '../../../users/index.ts'
import type { WorldUser } from '../model/schema.ts'
import type { Stage } from './stage.ts'

/** Makes a user with tokens. */
export async function applyUser(stage: Stage, user: WorldUser): Promise<void> {
  const { username } = user
  const ctx = stage.as(undefined, user.at)
  const account = userByUsername(stage.ctx.db, username)
  if (account) stage.kept('users')
  else {
    const { bio, location, organization, job_title } = user
    await stage.call(ctx, 'POST /users', {
      username,
      name: user.name ?? username,
      email: user.email ?? `${username}@example.com`,
      password: user.password,
      force_random_password: user.password === undefined ? true : undefined,
      skip_confirmation: true,
      admin: user.admin,
      bio,
      location,
      organization,
      job_title,
    })
    stage.made('users')
  }
  for (const token of user.tokens ?? [])
    await stage.step(token, `the token "${token.name}" of ${username}`, () => applyToken(stage, user, token))
  if (user.state === 'blocked' && userByUsername(stage.ctx.db, username)?.state !== 'blocked')
    await stage.call(stage.as(undefined), 'POST /users/:id/block', { id: stage.idOf(username) })
}

async function applyToken(
  stage: Stage,
  user: WorldUser,
  entry: NonNullable<WorldUser['tokens']>[number],
): Promise<void> {
  const { id, is_admin } = stage.actor(user.username)
  const owner = tokenOwner(stage.ctx, entry.token)
  if (owner === id) return stage.kept('tokens')
  if (owner !== undefined) throw new Failure('conflict', 'another user has a token of this text')
  const { name, token, scopes = ['api'] } = entry
  createToken(stage.as(undefined, user.at), { id, is_admin }, { name, token, scopes })
  stage.made('tokens')
}
