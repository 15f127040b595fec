import { beforeAll, describe, expect, it } from 'vitest'

import { world, type TestUser } from '../../../support/world.ts'

const { as, make, root, ctx } = await world()
const owner = make.user({ username: 'owner' })
const dev = make.user({ username: 'dev' })
const group = await make.group({ owner, path: 'audited', visibility: 'public' })
const project = await make.project({ owner, namespace_id: group.id, path: 'bench' })

interface Line {
  id: number
  author_id: number
  event_name: string
  details: Record<string, unknown>
}

const linesOf = async (path: string, who: TestUser = owner): Promise<Line[]> =>
  (await as(who).get(`${path}/audit_events?per_page=100`)).body
const ofProject = () => linesOf(`/projects/${project.id}`)
const ofGroup = () => linesOf(`/groups/${group.id}`)
const ofInstance = async (query: string): Promise<Line[]> =>
  (await as(root).get(`/audit_events?per_page=100&${query}`)).body

describe('the audit events', () => {
  it('members: added, changed and removed, with author, entity and IP address', async () => {
    await make.member('projects', project.id, dev, 30)
    await as(owner).put(`/projects/${project.id}/members/${dev.id}`, { access_level: 40 })
    await as(owner).delete(`/projects/${project.id}/members/${dev.id}`)
    const [removed, updated, created] = await ofProject()
    expect(created).toEqual({
      id: expect.any(Number),
      author_id: expect.any(Number),
      entity_id: project.id,
      entity_type: 'Project',
      event_name: 'member_created',
      details: {
        add: 'user_access',
        as: 'Developer',
        custom_message: 'Added dev as Developer',
        author_name: expect.any(String),
        author_class: 'User',
        target_id: dev.id,
        target_type: 'User',
        target_details: 'dev',
        ip_address: expect.stringMatching(/127\.0\.0\.1|::1/),
        entity_path: 'audited/bench',
      },
      created_at: expect.any(String),
    })
    expect(updated).toMatchObject({
      author_id: owner.id,
      event_name: 'member_updated',
      details: { change: 'access_level', from: 'Developer', to: 'Maintainer' },
    })
    expect(removed).toMatchObject({ event_name: 'member_destroyed', details: { remove: 'user_access' } })
    const { id } = removed!
    expect((await as(owner).get(`/projects/${project.id}/audit_events/${id}`)).body).toEqual(removed)
    expect((await as(root).get(`/audit_events/${id}`)).body).toEqual(removed)
  })

  it('push rules: changed and deleted', async () => {
    await as(owner).post(`/projects/${project.id}/push_rule`, { deny_delete_tag: true })
    await as(owner).delete(`/projects/${project.id}/push_rule`)
    const [removed, created] = await ofProject()
    expect([created!.details['custom_message'], removed!.details['custom_message']]).toEqual([
      'Created push rules: deny delete tag',
      'Removed push rules',
    ])
  })

  it('projects: changes with the old and the new value, archiving, tokens, keys, variables, protections', async () => {
    const at = `/projects/${project.id}`
    const ask = as(owner)
    await ask.put(at, { visibility: 'public', description: 'said' })
    await ask.put(at, { description: 'said more' })
    await ask.post(`${at}/archive`)
    await ask.post(`${at}/unarchive`)
    await ask.post(`${at}/variables`, { key: 'SECRET', value: 'top secret' })
    await ask.delete(`${at}/variables/SECRET`)
    const token = (await ask.post(`${at}/deploy_tokens`, { name: 'reader', scopes: ['read_repository'] }))
      .body
    await ask.delete(`${at}/deploy_tokens/${token.id}`)
    await ask.post(`${at}/access_tokens`, { name: 'bot', scopes: ['api'], access_level: 30 })
    await ask.post(`${at}/protected_branches`, { name: 'release/*' })
    await ask.delete(`${at}/protected_branches/release%2F*`)
    await ask.post(`${at}/protected_tags`, { name: 'v*' })
    await ask.post(`${at}/feature_flags`, { name: 'dark', version: 'new_version_flag' })
    const hook = await ask.post(`${at}/hooks`, { url: 'https://hooks.example/?token=hidden' })
    const rule = await ask.post(`${at}/approval_rules`, { name: 'two', approvals_required: 2 })
    expect([hook.status, rule.status]).toEqual([201, 201])
    const lines = await ofProject()
    const events = lines.map((line) => [line.event_name, line.details['custom_message']])
    for (const line of [
      ['project_visibility_updated', 'Changed visibility from private to public'],
      ['project_archived', 'Project archived'],
      ['project_unarchived', 'Project unarchived'],
      ['ci_variable_created', 'Created CI/CD variable SECRET'],
      ['ci_variable_deleted', 'Removed CI/CD variable SECRET'],
      ['deploy_token_created', 'Created deploy token reader'],
      ['deploy_token_revoked', 'Revoked deploy token reader'],
      ['access_token_created', 'Created access token bot'],
      ['protected_branch_protected', 'Protected branch release/*'],
      ['protected_branch_unprotected', 'Unprotected branch release/*'],
      ['protected_tag_protected', 'Protected tag v*'],
      ['feature_flag_created', 'Created feature flag dark'],
      ['web_hook_created', `Created webhook ${hook.body.id}`],
      ['approval_rule_created', 'Created approval rule two (2 required)'],
    ])
      expect(events).toContainEqual(line)
    expect(JSON.stringify(lines)).not.toMatch(/top secret|hidden|said/)
  })

  it('groups: created, moved and shared; deleted records keep their names', async () => {
    const guest = await make.group({ owner, path: 'guests' })
    const below = (await as(owner).post('/groups', { name: 'Below', path: 'below', parent_id: group.id }))
      .body
    await as(owner).put(`/groups/${group.id}`, { path: 'watched' })
    await as(owner).post(`/groups/${group.id}/share`, { group_id: guest.id, group_access: 20 })
    await as(owner).delete(`/groups/${group.id}/share/${guest.id}`)
    const messages = (await ofGroup()).map((line) => line.details['custom_message'])
    expect(messages).toEqual(
      expect.arrayContaining([
        'Moved from audited to watched',
        'Invited group guests as Reporter',
        'Removed group guests',
      ]),
    )
    await as(root).delete(`/groups/${below.id}`)
    await as(root).delete(`/groups/${below.id}`, { permanently_remove: true, full_path: 'watched/below' })
    const ends = await ofInstance(`entity_type=Group&entity_id=${below.id}`)
    expect(ends.map((line) => line.details['entity_path'])).toContain('watched/below')
  })

  it('accounts: successful and failed sign-ins, states, passwords, tokens, permissions', async () => {
    const person = make.user({ username: 'person' })
    const password = 'another long password'
    await as(root).put(`/users/${person.id}`, { password: 'the first long password' })
    await as(null).post('/-/session', { login: 'person', password: 'wrong password' })
    const signedIn = await as(null).post('/-/session', {
      login: 'person',
      password: 'the first long password',
    })
    expect(signedIn.status).toBe(201)
    await as(root).put(`/users/${person.id}`, { admin: true, name: 'A Person' })
    await as(root).put(`/users/${person.id}`, { admin: false, password })
    await as(root).post(`/users/${person.id}/block`)
    const token = await as(root).post(`/users/${person.id}/personal_access_tokens`, {
      name: 'mine',
      scopes: ['api'],
    })
    expect(token.status).toBe(201)
    const lines = await ofInstance(`entity_type=User&entity_id=${person.id}`)
    const events = lines.map((line) => [line.event_name, line.author_id, line.details['custom_message']])
    for (const line of [
      ['user_sign_in_failed', -1, 'Entered a wrong password'],
      ['user_signed_in', person.id, 'Signed in'],
      ['user_password_updated', root.id, 'Changed the password. Changed is admin from true to false'],
      ['user_state_changed', root.id, 'Changed the state from active to blocked'],
      ['personal_access_token_created', root.id, 'Created personal access token mine'],
    ])
      expect(events).toContainEqual(line)
    expect(lines.find((line) => line.event_name === 'user_updated')?.details['changes']).toMatchObject({
      is_admin: [false, true],
      name: [expect.any(String), 'A Person'],
    })
  })

  it('the instance: settings with their old values, secrets without values', async () => {
    await as(root).put('/application/settings', { max_attachment_size: 77, smtp_password: 'hush' })
    const [line] = await ofInstance('entity_type=Instance')
    expect(line).toMatchObject({
      author_id: root.id,
      event_name: 'application_setting_max_attachment_size_updated',
      details: { change: 'max_attachment_size', from: 10, to: 77, entity_path: 'instance' },
    })
    await as(root).put('/application/settings', { max_attachment_size: 77, spamcheck_api_key: 'hush' })
    const [next] = await ofInstance('entity_type=Instance')
    expect(next).toMatchObject({
      event_name: 'application_setting_updated',
      details: { custom_message: 'Set spamcheck api key' },
    })
    expect(JSON.stringify(await ofInstance('entity_type=Instance'))).not.toContain('hush')
  })

  it('no events for rolled-back changes and for requests without a change', async () => {
    const before = ctx().db.one<{ id: number }>('SELECT max(id) AS id FROM audit_events')
    await as(owner).put(`/projects/${project.id}`, { visibility: 'public' })
    await as(owner).put(`/projects/${project.id}`, { visibility: 'private', path: 'not/possible' })
    await as(owner).put(`/projects/${project.id}/members/${dev.id}`, { access_level: 40 })
    const same = { max_attachment_size: 77, max_artifacts_size: 100 }
    expect((await as(root).put('/application/settings', same)).status).toBe(200)
    expect(ctx().db.one('SELECT max(id) AS id FROM audit_events')).toEqual(before)
  })
})

describe('reading the audit events', () => {
  beforeAll(async () => {
    await make.member('projects', project.id, dev, 30)
  })

  it('administrators read all events, owners those of their group, maintainers those of their project', async () => {
    expect((await as(owner).get('/audit_events')).status).toBe(403)
    expect((await as(null).get('/audit_events')).status).toBe(401)
    expect((await as(dev).get(`/projects/${project.id}/audit_events`)).status).toBe(403)
    const maintainer = make.user()
    await make.member('groups', group.id, maintainer, 40)
    expect((await as(maintainer).get(`/projects/${project.id}/audit_events`)).status).toBe(200)
    expect((await as(maintainer).get(`/groups/${group.id}/audit_events`)).status).toBe(403)
    expect((await as(null).get(`/projects/${project.id}/audit_events`)).status).toBe(401)
    const [line] = await ofGroup()
    const other = await as(owner).get(`/projects/${project.id}/audit_events/${line!.id}`)
    expect([other.status, other.body]).toEqual([404, { message: '404 Audit Event Not Found' }])
  })

  it('filters by author, type and time', async () => {
    const byRoot = await ofInstance(`author_id=${root.id}`)
    expect(byRoot.length).toBeGreaterThan(2)
    expect(new Set(byRoot.map((line) => line.author_id))).toEqual(new Set([root.id]))
    expect(await ofInstance('author_username=ROOT')).toEqual(byRoot)
    expect(await ofInstance('author_username=nobody')).toEqual([])
    const created = await ofInstance('event_name=member_created')
    expect(new Set(created.map((line) => line.event_name))).toEqual(new Set(['member_created']))
    const all = await ofInstance('entity_type=Project')
    expect(all.length).toBeGreaterThan(10)
    expect(await ofInstance('entity_type=Project&created_after=2000-01-01')).toEqual(all)
    expect(await ofInstance('created_after=2100-01-01')).toEqual([])
    expect(await ofInstance('created_before=2000-01-01')).toEqual([])
    expect((await ofInstance('entity_type=Project&created_before=2100-01-01')).length).toBe(all.length)
    expect((await as(root).get('/audit_events?entity_id=1')).body).toEqual({
      error: 'entity_type is missing',
    })
    expect((await as(root).get('/audit_events?entity_type=Moon')).status).toBe(400)
  })

  it('pages by offset and by keyset', async () => {
    const all = (await ofInstance('entity_type=Project')).map((line) => line.id)
    const second = await as(root).get('/audit_events?entity_type=Project&per_page=3&page=2')
    expect(second.body.map((line: Line) => line.id)).toEqual(all.slice(3, 6))
    expect(second.headers.get('x-total')).toBe(String(all.length))
    const walked: number[] = []
    let next: string | undefined = '/audit_events?entity_type=Project&per_page=4&pagination=keyset'
    while (next !== undefined) {
      const page = await as(root).get(next)
      expect(page.headers.get('x-page')).toBe(null)
      walked.push(...page.body.map((line: Line) => line.id))
      next = /\/api\/v4([^>]*)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1]
    }
    expect(walked).toEqual(all)
    expect((await as(root).get('/audit_events?pagination=keyset&cursor=x')).body).toEqual({
      error: 'cursor is invalid',
    })
  })
})
