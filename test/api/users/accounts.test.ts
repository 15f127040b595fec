import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import { deactivateDormant } from '../../../server/domains/accounts/states/service.ts'
import { frozenClock } from '../../../server/lib/clock.ts'
import { world, type TestUser, type World } from '../../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})

const change = (user: TestUser, action: string, who: TestUser = w.root) =>
  w.as(who).post(`/users/${user.id}/${action}`)
const stateOf = async (user: TestUser): Promise<string> =>
  (await w.as(w.root).get(`/users/${user.id}`)).body.state
const setState = (user: TestUser, state: string) =>
  w.ctx().db.exec('UPDATE users SET state = ? WHERE id = ?', state, user.id)

/** Creates a user with a password and a session. */
async function signedIn(): Promise<{ user: TestUser; cookie: string }> {
  const user = w.make.user()
  await w.as(w.root).put(`/users/${user.id}`, { password: 'correct horse' })
  w.ctx().db.exec('UPDATE users SET password_expires_at = NULL WHERE id = ?', user.id)
  const answer = await w.as(null).post('/-/session', { login: user.username, password: 'correct horse' })
  return { user, cookie: answer.headers.getSetCookie()[0]!.split(';')[0]! }
}

describe('the states of a user', () => {
  it('block and unblock return the result', async () => {
    const { user, cookie } = await signedIn()
    expect((await w.as(null).get('/user', { cookie })).status).toBe(200)
    expect(await change(user, 'block')).toMatchObject({ status: 201, body: true })
    expect((await w.as(null).get('/user', { cookie })).status).toBe(401)
    expect((await w.as(user).get('/user')).body).toEqual({
      message: '403 Forbidden - Your account has been blocked.',
    })
    expect(await change(user, 'block')).toMatchObject({ status: 201, body: null })
    expect(await stateOf(user)).toBe('blocked')
    expect(await change(user, 'unblock')).toMatchObject({ status: 201, body: true })
    expect(await change(user, 'unblock')).toMatchObject({ status: 201, body: false })
    expect((await w.as(user).get('/user')).status).toBe(200)
    expect((await w.as(null).get('/user', { cookie })).status).toBe(401)
  })

  it('ban and unban', async () => {
    const user = w.make.user()
    expect(await change(user, 'unban')).toMatchObject({
      status: 403,
      body: { message: 'You cannot unban active users.' },
    })
    expect(await change(user, 'ban')).toMatchObject({ status: 201, body: true })
    expect((await w.as(user).get('/user')).status).toBe(403)
    expect(await change(user, 'ban')).toMatchObject({
      status: 403,
      body: { message: 'You cannot ban banned users.' },
    })
    expect(await change(user, 'unblock')).toMatchObject({ status: 201, body: false })
    expect(await change(user, 'unban')).toMatchObject({ status: 201, body: true })
    expect(await stateOf(user)).toBe('active')
  })

  it('deactivate and activate', async () => {
    const user = w.make.user()
    expect(await change(user, 'deactivate')).toMatchObject({ status: 201, body: true })
    expect(await change(user, 'deactivate')).toMatchObject({ status: 201, body: null })
    expect((await change(user, 'unblock')).status).toBe(403)
    expect(await change(user, 'activate')).toMatchObject({ status: 201, body: true })
    w.ctx().db.exec('UPDATE users SET last_activity_on = ? WHERE id = ?', w.ctx().now.slice(0, 10), user.id)
    expect(await change(user, 'deactivate')).toMatchObject({
      status: 403,
      body: {
        message:
          '403 Forbidden - The user you are trying to deactivate has been active in the past 90 days and cannot be deactivated',
      },
    })
    setState(user, 'blocked')
    expect((await change(user, 'deactivate')).status).toBe(403)
    expect((await change(user, 'activate')).status).toBe(403)
  })

  it('approve and reject sign-ups', async () => {
    const sign = async (): Promise<TestUser> => {
      const user = w.make.user()
      setState(user, 'blocked_pending_approval')
      return user
    }
    const [welcome, unwelcome] = [await sign(), await sign()]
    expect(await change(welcome, 'approve')).toMatchObject({ status: 201, body: { message: 'Success' } })
    expect(await change(welcome, 'approve')).toMatchObject({
      status: 409,
      body: { message: 'The user you are trying to approve is not pending approval' },
    })
    expect(await change(welcome, 'reject')).toMatchObject({
      status: 409,
      body: { message: 'User does not have a pending request' },
    })
    expect(await change(unwelcome, 'reject')).toMatchObject({ status: 200, body: { message: 'Success' } })
    await w.drain()
    expect((await w.as(w.root).get(`/users/${unwelcome.id}`)).status).toBe(404)
  })

  it('return 403 for oneself, LDAP accounts and the ghost', async () => {
    for (const action of ['block', 'ban', 'deactivate'])
      expect([action, (await change(w.root, action)).status]).toEqual([action, 403])
    const user = w.make.user()
    setState(user, 'ldap_blocked')
    for (const action of ['block', 'unblock', 'ban', 'activate', 'deactivate'])
      expect([action, (await change(user, action)).status]).toEqual([action, 403])
    const ghost = w.make.user()
    w.ctx().db.exec("UPDATE users SET kind = 'ghost' WHERE id = ?", ghost.id)
    for (const action of ['block', 'ban', 'deactivate'])
      expect([action, (await change(ghost, action)).status]).toEqual([action, 403])
    expect((await w.as(w.root).delete(`/users/${ghost.id}`)).status).toBe(403)
    w.ctx().db.exec("UPDATE users SET kind = 'human' WHERE id = ?", ghost.id)
  })

  it('return 403 to other users and 404 for unknown users', async () => {
    const [user, other] = [w.make.user(), w.make.user()]
    const actions = ['block', 'unblock', 'ban', 'unban', 'activate', 'deactivate', 'approve', 'reject']
    for (const action of actions) {
      expect([action, (await change(user, action, other)).status]).toEqual([action, 403])
      expect((await w.as(w.root).post(`/users/999999/${action}`)).body).toEqual({
        message: '404 User Not Found',
      })
    }
  })

  it('deactivate users without activity, if the settings say so', async () => {
    const [dormant, quiet, busy] = [w.make.user(), w.make.user(), w.make.user()]
    const { db } = w.ctx()
    db.exec("UPDATE users SET last_activity_on = '2020-01-01' WHERE id = ?", dormant.id)
    db.exec("UPDATE users SET created_at = '2020-01-01T00:00:00.000Z' WHERE id = ?", quiet.id)
    deactivateDormant(w.ctx())
    expect(await stateOf(dormant)).toBe('active')
    await w.as(w.root).put('/application/settings', { deactivate_dormant_users: true })
    deactivateDormant(w.ctx())
    expect([await stateOf(dormant), await stateOf(quiet), await stateOf(busy)]).toEqual([
      'deactivated',
      'deactivated',
      'active',
    ])
    expect(await stateOf(w.root)).toBe('active')
    await w.as(w.root).put('/application/settings', { deactivate_dormant_users: false })
  })

  it('have no second factor', async () => {
    const user = w.make.user()
    expect((await w.as(w.root).patch(`/users/${w.root.id}/disable_two_factor`)).status).toBe(403)
    expect((await w.as(w.root).patch(`/users/${user.id}/disable_two_factor`)).body).toEqual({
      message: '400 Bad request - Two-factor authentication is not enabled for this user',
    })
    expect((await w.as(user).patch(`/users/${user.id}/disable_two_factor`)).status).toBe(403)
  })
})

describe('DELETE /users/:id', () => {
  const remove = (user: TestUser, query = '') => w.as(w.root).delete(`/users/${user.id}${query}`)
  /** Inserts a commit comment and two snippets of a user directly, since these tests do not need their domains. */
  function write(user: TestUser, projectId: number): { note: number; snippet: number; personal: number } {
    const { db, now } = w.ctx()
    const note = db.exec(
      `INSERT INTO notes (project_id, noteable_type, commit_id, discussion_id, author_id, note, created_at, updated_at)
       VALUES (?, 'Commit', 'c0ffee', ?, ?, 'text', ?, ?)`,
      projectId,
      `d${user.id}`,
      user.id,
      now,
      now,
    ).id
    const snippet = (project: number | null) =>
      db.exec(
        `INSERT INTO snippets (project_id, author_id, title, visibility, disk_path, default_branch, created_at, updated_at)
         VALUES (?, ?, 'x', 'private', ?, 'main', ?, ?)`,
        project,
        user.id,
        `@snippets/${user.id}/${project}.git`,
        now,
        now,
      ).id
    return { note, snippet: snippet(projectId), personal: snippet(null) }
  }
  const authorOf = (table: string, id: number): number | undefined =>
    w.ctx().db.one<{ author_id: number }>(`SELECT author_id FROM ${table} WHERE id = ?`, id)?.author_id

  it('deletes the account at once, and moves contributions to the ghost', async () => {
    const project = await w.make.project({ visibility: 'public' })
    const { user, cookie } = await signedIn()
    const own = await w.make.project({ owner: user })
    const wrote = write(user, project.id)
    const secret = await w.as(user).post('/snippets', { title: 'x', file_name: 'a', content: 'b' })
    const disk = w
      .ctx()
      .db.one<{ disk_path: string }>('SELECT disk_path FROM snippets WHERE id = ?', secret.body.id)!
    const folder = join(w.dataDir, 'repositories', disk.disk_path)
    expect(existsSync(folder)).toBe(true)
    expect((await remove(user)).status).toBe(204)
    // The user is blocked, or already deleted by the job.
    expect([401, 403]).toContain((await w.as(user).get('/user')).status)
    expect((await w.as(null).get('/user', { cookie })).status).toBe(401)
    await w.drain()
    expect(await w.as(w.root).get(`/users/${user.id}`)).toMatchObject({
      status: 404,
      body: { message: '404 User Not Found' },
    })
    expect((await w.as(w.root).get(`/projects/${own.id}`)).status).toBe(404)
    expect((await w.as(w.root).get(`/namespaces/${user.username}`)).status).toBe(404)
    expect((await w.as(user).get('/user')).status).toBe(401)
    const ghost = authorOf('notes', wrote.note)!
    expect((await w.as(w.root).get(`/users/${ghost}`)).body).toMatchObject({
      username: 'ghost',
      name: 'Ghost User',
      is_admin: false,
    })
    expect(authorOf('snippets', wrote.snippet)).toBe(ghost)
    expect(authorOf('snippets', wrote.personal)).toBeUndefined()
    expect(existsSync(folder)).toBe(false)
    expect((await remove(user)).status).toBe(404)
    // The user name is free again.
    expect(w.make.user({ username: user.username }).id).not.toBe(user.id)
  })

  it('also deletes contributions with hard_delete', async () => {
    const project = await w.make.project({ visibility: 'public' })
    const user = w.make.user()
    const wrote = write(user, project.id)
    expect((await remove(user, '?hard_delete=true')).status).toBe(204)
    await w.drain()
    expect([authorOf('notes', wrote.note), authorOf('snippets', wrote.snippet)]).toEqual([
      undefined,
      undefined,
    ])
  })

  it('returns 409 for the only owner of a group, unless groups are deleted too', async () => {
    const [user, other] = [w.make.user(), w.make.user()]
    const group = await w.make.group({ owner: user })
    const project = await w.make.project({ owner: user, namespace_id: group.id })
    const refused = {
      status: 409,
      body: { message: 'User cannot be removed while is the sole-owner of a group' },
    }
    expect(await remove(user)).toMatchObject(refused)
    expect(await stateOf(user)).toBe('active')
    await w.make.member('groups', group.id, other, 50)
    // The owner of a parent group also owns its subgroups.
    const below = await w.make.group({ owner: user, parent_id: group.id })
    expect((await remove(user)).status).toBe(204)
    await w.drain()
    expect((await w.as(other).get(`/groups/${below.id}`)).status).toBe(200)
    expect((await w.as(other).get(`/projects/${project.id}`)).body.creator_id).not.toBe(user.id)
    expect(await remove(other)).toMatchObject(refused)
    expect((await remove(other, '?hard_delete=true')).status).toBe(204)
    await w.drain()
    expect((await w.as(w.root).get(`/groups/${group.id}`)).status).toBe(404)
    expect((await w.as(w.root).get(`/projects/${project.id}`)).status).toBe(404)
  })

  it('returns an error for the only administrator, for a user who changed meanwhile, and to other users', async () => {
    expect(await remove(w.root)).toMatchObject({
      status: 409,
      body: { message: 'The only administrator cannot be removed' },
    })
    const [user, other] = [w.make.user(), w.make.user()]
    const old = { 'if-unmodified-since': 'Wed, 01 Jan 2020 00:00:00 GMT' }
    expect((await w.as(w.root).delete(`/users/${user.id}`, undefined, old)).status).toBe(412)
    expect((await w.as(other).delete(`/users/${user.id}`)).status).toBe(403)
    expect((await w.as(other).delete(`/users/${other.id}`)).status).toBe(403)
  })

  it('keeps users that the deleted administrator created', async () => {
    const [admin, user] = [w.make.user({ admin: true }), w.make.user()]
    w.ctx().db.exec('UPDATE users SET created_by_id = ? WHERE id = ?', admin.id, user.id)
    await remove(admin)
    await w.drain()
    expect((await w.as(w.root).get(`/users/${user.id}`)).body.created_by).toBeNull()
  })
})

describe('the memberships of a user', () => {
  it('is listed for administrators', async () => {
    const user = w.make.user()
    const [group, project] = [await w.make.group(), await w.make.project()]
    await w.make.member('groups', group.id, user, 30)
    await w.make.member('projects', project.id, user, 20)
    const list = (query = '') => w.as(w.root).get(`/users/${user.id}/memberships${query}`)
    const inGroup = {
      source_id: group.id,
      source_name: group.name,
      source_type: 'Namespace',
      access_level: 30,
    }
    const inProject = {
      source_id: project.id,
      source_name: project.name,
      source_type: 'Project',
      access_level: 20,
    }
    expect((await list()).body).toEqual([inGroup, inProject])
    expect((await list('?type=Project')).body).toEqual([inProject])
    expect((await list('?type=Namespace')).body).toEqual([inGroup])
    expect((await list('?per_page=1&page=2')).body).toEqual([inProject])
    expect(await list('?type=Group')).toMatchObject({
      status: 400,
      body: { error: 'type does not have a valid value' },
    })
    expect((await w.as(user).get(`/users/${user.id}/memberships`)).status).toBe(403)
    expect((await w.as(w.root).get('/users/999999/memberships')).status).toBe(404)
    const counts = {
      groups_count: 1,
      projects_count: 1,
      issues_count: 0,
      merge_requests_count: 0,
    }
    expect((await w.as(user).get(`/users/${user.id}/associations_count`)).body).toEqual(counts)
    expect((await w.as(w.root).get(`/users/${user.id}/associations_count`)).body).toEqual(counts)
    expect((await w.as(user).get('/users/1/associations_count')).status).toBe(403)
    expect((await w.as(w.root).get('/users/999999/associations_count')).status).toBe(404)
    expect((await w.as(null).get(`/users/${user.id}/associations_count`)).status).toBe(401)
  })

  it('counts are zero without assignments', async () => {
    expect((await w.as(w.root).get('/user_counts')).body).toEqual({
      merge_requests: 0,
      assigned_issues: 0,
      assigned_merge_requests: 0,
      review_requested_merge_requests: 0,
      todos: 0,
    })
    expect((await w.as(null).get('/user_counts')).status).toBe(401)
  })
})

describe('GET /user/activities', () => {
  it('lists active users, the least recent first', async () => {
    const [early, late, old] = [w.make.user(), w.make.user(), w.make.user()]
    const { db } = w.ctx()
    db.exec("UPDATE users SET last_activity_on = '2001-05-06' WHERE id = ?", early.id)
    db.exec("UPDATE users SET last_activity_on = '2001-07-08' WHERE id = ?", late.id)
    db.exec("UPDATE users SET last_activity_on = '2000-01-01' WHERE id = ?", old.id)
    const { body } = await w.as(w.root).get('/user/activities?from=2001-01-01&per_page=100')
    expect(body.slice(0, 2)).toEqual([
      { username: early.username, last_activity_on: '2001-05-06', last_activity_at: '2001-05-06' },
      { username: late.username, last_activity_on: '2001-07-08', last_activity_at: '2001-07-08' },
    ])
    const recent = (await w.as(w.root).get('/user/activities?per_page=100')).body
    expect(recent.map((activity: { username: string }) => activity.username)).not.toContain(late.username)
    expect((await w.as(early).get('/user/activities')).status).toBe(403)
    expect((await w.as(w.root).get('/user/activities?from=soon')).body).toEqual({ error: 'from is invalid' })
  })
})

it('GET /users/:id is limited to 300 requests in ten minutes for each user', async () => {
  const still = await world({ clock: frozenClock('2026-11-20T10:00:00Z') })
  const eager = still.make.user()
  const statuses = new Set<number>()
  for (let round = 0; round < 30; round++) {
    const answers = await Promise.all(Array.from({ length: 10 }, () => still.as(eager).get('/users/1')))
    for (const answer of answers) statuses.add(answer.status)
  }
  expect([...statuses]).toEqual([200])
  expect(await still.as(eager).get('/users/1')).toMatchObject({
    status: 429,
    body: { message: { error: 'This endpoint has been requested too many times. Try again later.' } },
  })
  expect((await still.as(still.root).get('/users/1')).status).toBe(200)
  const settings = (body: object) => still.as(still.root).put('/application/settings', body)
  await settings({ users_get_by_id_limit_allowlist: [eager.username.toUpperCase()] })
  expect((await still.as(eager).get('/users/1')).status).toBe(200)
  await settings({ users_get_by_id_limit_allowlist: [], users_get_by_id_limit: 0 })
  expect((await still.as(eager).get('/users/1')).status).toBe(200)
})
