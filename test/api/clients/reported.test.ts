import { describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'

// Requests of real clients that Deskforge once answered differently than these clients expect.
const { as, root, make, url, ctx, drain } = await world()
const admin = as(root)
const ada = make.user({ username: 'ada' })
const owner = as(ada)
const project = await make.project({ owner: ada, name: 'Kelp', path: 'kelp', with: 'readme' })
const at = `/projects/${project.id}`

describe("python-gitlab's command line", () => {
  it('creates a feature flag with strategies, without the version of the flag', async () => {
    const flag = { name: 'cli', strategies: [{ name: 'userWithId', parameters: { userIds: 'user1,user2' } }] }
    const made = await owner.post(`${at}/feature_flags`, flag)
    expect([made.status, made.body.version]).toEqual([201, 'new_version_flag'])
    expect((await owner.get(`${at}/feature_flags/cli`)).body.strategies).toMatchObject(flag.strategies)
  })
})

describe('the terraform provider', () => {
  it('looks up users as an administrator without a rate limit', async () => {
    await admin.put('/application/settings', { users_get_by_id_limit: 1 })
    const requests = [1, 2, 3].map(async () => (await admin.get(`/users/${ada.id}`)).status)
    expect(await Promise.all(requests)).toEqual([200, 200, 200])
    const others = [await owner.get(`/users/${root.id}`), await owner.get(`/users/${root.id}`)]
    expect(others.map(({ status }) => status)).toEqual([200, 429])
    await admin.put('/application/settings', { users_get_by_id_limit: 300 })
  })

  it('creates a token of a user with every scope', async () => {
    const scopes = [
      'api',
      'read_user',
      'read_api',
      'read_repository',
      'write_repository',
      'sudo',
      'read_registry',
    ]
    const made = await admin.post(`/users/${ada.id}/personal_access_tokens`, { name: 'all', scopes })
    expect([made.status, made.body.scopes]).toEqual([201, scopes])
  })

  it('reads protected branches in the order of their creation', async () => {
    const named = await make.project({ owner: ada, name: 'Protected', with: 'readme' })
    const names = async () =>
      (await owner.get(`/projects/${named.id}/protected_branches`)).body.map(
        (protectedBranch: { name: string }) => protectedBranch.name,
      )
    for (const name of ['zeta', 'alpha'])
      await owner.post(`/projects/${named.id}/protected_branches`, { name })
    expect(await names()).toEqual(['main', 'zeta', 'alpha'])
  })

  it('resets the scope of a board with zeros', async () => {
    const { body: milestone } = await owner.post(`${at}/milestones`, { title: 'first' })
    const { body: board } = await owner.post(`${at}/boards`, { name: 'One' })
    const put = (params: object) => owner.put(`${at}/boards/${board.id}`, params)
    expect((await put({ assignee_id: ada.id, milestone_id: milestone.id })).body).toMatchObject({
      assignee: { id: ada.id },
      milestone: { id: milestone.id },
    })
    const all = await put({ assignee_id: 0, milestone_id: 0 })
    expect(all).toMatchObject({ status: 200, body: { assignee: null, milestone: null } })
  })

  it('gets 403 for variables when builds are disabled', async () => {
    const quiet = await make.project({ owner: ada, name: 'Quiet', builds_access_level: 'disabled' })
    expect((await owner.get(`/projects/${quiet.id}/variables`)).status).toBe(403)
    expect((await owner.get(`${at}/variables`)).status).toBe(200)
  })

  it('finds the host of the instance in the allowlist of the asset proxy', async () => {
    const { body } = await admin.put('/application/settings', { asset_proxy_allowlist: ['a.test'] })
    expect(body.asset_proxy_allowlist).toEqual(['a.test', new URL(url).hostname])
  })

  it('gets an error for an unknown storage', async () => {
    expect(await admin.put(at, { repository_storage: 'nowhere' })).toMatchObject({
      status: 400,
      body: { message: { repository_storage_moves: ['is invalid'] } },
    })
  })

  it('creates a project with the template `rails`', async () => {
    const made = await owner.post('/projects', { name: 'Shop', template_name: 'rails' })
    expect(made.status).toBe(201)
    await drain()
    const file = `/projects/${made.body.id}/repository/files/.ruby-version?ref=main`
    expect((await owner.get(file)).status).toBe(200)
  })

  it('cannot share a group with itself', async () => {
    const group = await make.group({ owner: ada })
    const shared = await owner.post(`/groups/${group.id}/share`, { group_id: group.id, group_access: 30 })
    expect(shared.status).toBe(400)
  })
})

describe('gitlabform', () => {
  it('sends `active: false` with the settings of an integration, which becomes active', async () => {
    const jira = { url: 'https://jira.example', username: 'u', password: 'p', active: false }
    expect((await owner.put(`${at}/integrations/jira`, jira)).body.active).toBe(true)
    await owner.delete(`${at}/integrations/jira`)
    expect((await owner.get(`${at}/integrations/jira`)).body.active).toBe(false)
  })

  it('finds the approval rule for all members first and report rules last', async () => {
    const coverage = { rule_type: 'report_approver', report_type: 'code_coverage' }
    for (const rule of [
      { name: 'Coverage-Check', ...coverage },
      { name: 'Ada', user_ids: [ada.id] },
      { name: 'Any', rule_type: 'any_approver' },
    ])
      await owner.post(`${at}/approval_rules`, { approvals_required: 1, ...rule })
    const { body } = await owner.get(`${at}/approval_rules`)
    const types = (body as { rule_type: string }[]).map((approvalRule) => approvalRule.rule_type)
    expect(types).toEqual(['any_approver', 'regular', 'report_approver'])
  })

  it('changes nothing with an empty update', async () => {
    const group = await make.group({ owner: ada })
    const { id: userId, username } = make.user()
    expect(await owner.put(`/groups/${group.id}`, {})).toMatchObject({
      status: 200,
      body: { path: group.path },
    })
    expect(await admin.put(`/users/${userId}`, {})).toMatchObject({ status: 200, body: { username } })
    ctx().db.exec(
      "INSERT INTO ci_resource_groups (project_id, key, created_at, updated_at) VALUES (?, 'production', ?, ?)",
      project.id,
      ctx().now,
      ctx().now,
    )
    expect(await owner.put(`${at}/resource_groups/production`, {})).toMatchObject({
      status: 200,
      body: { key: 'production', process_mode: 'unordered' },
    })
  })
})

describe('python-gitlab', () => {
  it('creates a branch from the default branch of an empty repository', async () => {
    const empty = await make.project({ owner: ada, name: 'Empty' })
    const branches = `/projects/${empty.id}/repository/branches`
    const wrong = await owner.post(branches, { branch: 'next', ref: 'nowhere' })
    expect([wrong.status, (await owner.get(branches)).body]).toEqual([400, []])
    const made = await owner.post(branches, { branch: 'my.branch.name', ref: 'main' })
    expect([made.status, made.body.name, made.body.commit.title]).toEqual([
      201,
      'my.branch.name',
      'Add README.md',
    ])
    const names = (await owner.get(branches)).body.map((branch: { name: string }) => branch.name)
    expect(names).toEqual(['main', 'my.branch.name'])
    expect((await owner.get(`/projects/${empty.id}`)).body).toMatchObject({
      empty_repo: false,
      default_branch: 'main',
    })
  })

  it('creates the default branch of an empty repository', async () => {
    const empty = await make.project({ owner: ada, name: 'Empty again' })
    const made = await owner.post(`/projects/${empty.id}/repository/branches`, {
      branch: 'main',
      ref: 'main',
    })
    expect([made.status, made.body.default]).toEqual([201, true])
  })

  it('finds its deploy key by the text of the key, including the comment', async () => {
    const key =
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBUi3fyrmM8HAz6IqpDJkVyXBGHI/MzlaoWrd6CqUuvL deploy@forge'
    const made = await owner.post(`${at}/deploy_keys`, { title: 'd', key })
    const found = await admin.get(`/keys?fingerprint=${encodeURIComponent(made.body.fingerprint_sha256)}`)
    expect([made.body.key, found.body.key]).toEqual([key, key])
  })

  it('gets 404 for an unknown license', async () => {
    expect(await admin.post('/license', { license: 'dummy key' })).toMatchObject({
      status: 400,
      body: { message: 'The license key is invalid.' },
    })
  })

  it('lists CI templates in several pages, and each of them is valid', async () => {
    const { body } = await owner.get('/templates/gitlab_ci_ymls?per_page=100')
    expect(body.length).toBeGreaterThan(20)
    for (const { key } of body as { key: string }[]) {
      const { body: template } = await owner.get(`/templates/gitlab_ci_ymls/${encodeURIComponent(key)}`)
      const lint = await owner.post(`${at}/ci/lint`, {
        // Some templates have no visible job, so they are invalid only when a pipeline is created.
        content: `${template.content}\nmore:\n  stage: .pre\n  script: [echo]\n`,
      })
      expect([key, lint.body.valid, lint.body.errors]).toEqual([key, true, []])
    }
  })

  it('validates a configuration with symbols as keys', async () => {
    const content = '---\n:test_job:\n  :script: echo 1\n'
    const { body } = await owner.post(`${at}/ci/lint`, { content, include_jobs: true })
    expect(body).toMatchObject({ valid: true, errors: [], jobs: [{ name: 'test_job', script: ['echo 1'] }] })
  })

  it('creates a deploy token that has expired', async () => {
    const made = await owner.post(`${at}/deploy_tokens`, {
      name: 'old',
      scopes: ['read_registry'],
      expires_at: '2020-01-01',
    })
    expect(made).toMatchObject({ status: 201, body: { expired: true } })
  })
})

describe('python-gitlab, listing issues by relative position', () => {
  it('gets them in both directions, page by page, with those without a position at the end', async () => {
    const ordered = await make.project({ owner: ada, name: 'By hand' })
    const issues = `/projects/${ordered.id}/issues`
    const open = async () => (await owner.post(issues, { title: 'one' })).body as { id: number; iid: number }
    const [first, two, three] = [await open(), await open(), await open()]
    const moved = await owner.put(`${issues}/${first.iid}/reorder`, { move_before_id: three.id })
    expect(moved.status).toBe(200)
    const [four, five] = [await open(), await open()]
    const pages = async (sort: string) => {
      const pages = [1, 2, 3].map(
        async (page) =>
          (await owner.get(`${issues}?order_by=relative_position${sort}&per_page=2&page=${page}`)).body,
      )
      return (await Promise.all(pages)).flat().map(({ iid }: { iid: number }) => iid)
    }
    const upwards = [two, three, first, four, five].map(({ iid }) => iid)
    expect(await pages('&sort=asc')).toEqual(upwards)
    expect(await pages('&sort=desc')).toEqual(upwards.toReversed())
    expect(await pages('')).toEqual(upwards.toReversed())
  })
})

describe('glab and the container registry', () => {
  it('accept personal access tokens for images', async () => {
    const scopes = ['read_registry', 'write_registry']
    const made = await admin.post(`/users/${ada.id}/personal_access_tokens`, { name: 'images', scopes })
    expect(made).toMatchObject({ status: 201, body: { scopes } })
    const other = as({ ...ada, token: made.body.token })
    expect((await other.get('/user')).status).toBe(403)
  })
})

describe('renovate', () => {
  it('reads the version number of an enterprise release', async () => {
    const { body } = await admin.get('/version')
    expect(body.version).toMatch(/^15\.11\.\d+-ee$/)
    expect((await admin.get('/metadata')).body).toMatchObject({ version: body.version, enterprise: true })
  })
})

describe('Model Context Protocol servers', () => {
  it('find the URL of an avatar for every user', async () => {
    const { body } = await admin.get(`/users/${ada.id}`)
    expect(body.avatar_url).toMatch(new RegExp(`^${url}/-/avatars/\\d+/A\\.svg$`))
    const picture = await as(null).get(`!${new URL(body.avatar_url).pathname}`)
    expect([picture.status, picture.headers.get('content-type')]).toEqual([
      200,
      'image/svg+xml; charset=utf-8',
    ])
    expect(picture.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(picture.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
    expect(picture.text).toContain('>A</text>')
  })

  it.each(['/-/avatars/360/A.svg', '/-/avatars/9/%3C.svg', '/-/avatars/9/%FF.svg', '/-/avatars/9/AAA.svg'])(
    'get 404 for %s',
    async (path) => {
      expect((await as(null).get(`!${path}`)).status).toBe(404)
    },
  )

  it('get an avatar with a letter of any script', async () => {
    const { body } = await admin.post('/users', {
      email: 'o@example.test',
      name: 'Ömer',
      username: 'omer',
      password: 'a long green afternoon',
    })
    const picture = await as(null).get(`!${new URL(body.avatar_url).pathname}`)
    expect(picture.text).toContain('>Ö</text>')
  })
})
