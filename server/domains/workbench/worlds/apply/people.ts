import { createToken, tokenOwner } from '../../../auth/index.ts'
import { Failure } from '../../../../lib/fail.ts'
import { userByUsername } from '../../../users/index.ts'
import type { WorldUser } from '../model/schema.ts'
import type { ApplyRun } from './apply-run.ts'

/** Creates a missing user and missing tokens, and blocks the user. */
export async function applyUser(run: ApplyRun, user: WorldUser): Promise<void> {
  const { username } = user
  const ctx = run.contextOf(undefined, user.at)
  const account = userByUsername(run.ctx.db, username)
  if (account) run.countExisting('users')
  else {
    const { bio, location, organization, job_title } = user
    await run.call(ctx, 'POST /users', {
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
    run.countCreated('users')
  }
  for (const token of user.tokens ?? [])
    await run.step(token, `the token "${token.name}" of ${username}`, () => applyToken(run, user, token))
  if (user.state === 'blocked' && userByUsername(run.ctx.db, username)?.state !== 'blocked')
    await run.call(run.contextOf(undefined), 'POST /users/:id/block', { id: run.idOf(username) })
}

async function applyToken(
  run: ApplyRun,
  user: WorldUser,
  entry: NonNullable<WorldUser['tokens']>[number],
): Promise<void> {
  const { id, is_admin } = run.actor(user.username)
  const owner = tokenOwner(run.ctx, entry.token)
  if (owner === id) return run.countExisting('tokens')
  if (owner !== undefined) throw new Failure('conflict', 'another user has this token')
  const { name, token, scopes = ['api'] } = entry
  createToken(run.contextOf(undefined, user.at), { id, is_admin }, { name, token, scopes })
  run.countCreated('tokens')
}
