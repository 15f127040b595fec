import { describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'
import { isOfSubscriber } from '../../support/subscribers.ts'

const { as, root, make, ctx, url } = await world()
const ada = make.user({ username: 'ada' })
const bob = make.user({ username: 'bob' })

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const picture = (name: string, bytes: Buffer = PNG, more: Record<string, string> = {}) => {
  const form = new FormData()
  form.set('avatar', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), name)
  for (const [key, value] of Object.entries(more)) form.set(key, value)
  return form
}
const chain = async (length: number) => {
  let parent = await make.group({ owner: ada })
  for (let level = 1; level < length; level++) parent = await make.group({ owner: ada, parent_id: parent.id })
  return parent
}

describe('the settings of a group', () => {
  it('are stored and returned', async () => {
    const group = await make.group({ owner: ada })
    const params = {
      share_with_group_lock: true,
      require_two_factor_authentication: true,
      two_factor_grace_period: 12,
      project_creation_level: 'maintainer',
      subgroup_creation_level: 'owner',
      auto_devops_enabled: false,
      mentions_disabled: true,
      request_access_enabled: false,
      membership_lock: true,
      prevent_sharing_groups_outside_hierarchy: true,
      prevent_forking_outside_group: true,
      enabled_git_access_protocol: 'ssh',
      wiki_access_level: 'private',
      ip_restriction_ranges: '192.168.0.0/24,10.0.0.1',
      unique_project_download_limit: 5,
      unique_project_download_limit_interval_in_seconds: 60,
      unique_project_download_limit_allowlist: ['root'],
      unique_project_download_limit_alertlist: [1],
      auto_ban_user_on_excessive_projects_download: true,
    }
    const { status, body } = await as(ada).put(`/groups/${group.id}`, params)
    expect([status, body]).toEqual([200, expect.objectContaining(params)])
    expect((await as(ada).get(`/groups/${group.id}`)).body).toMatchObject(params)
  })

  it('have defaults', async () => {
    const group = await make.group({ owner: ada })
    expect(group).toMatchObject({
      shared_runners_setting: 'enabled',
      enabled_git_access_protocol: 'all',
      membership_lock: false,
      prevent_sharing_groups_outside_hierarchy: false,
      ip_restriction_ranges: null,
      marked_for_deletion_on: null,
      ldap_cn: null,
      file_template_project_id: null,
      shared_runners_minutes_limit: null,
      wiki_access_level: 'enabled',
    })
    expect(group.runners_token).toMatch(/^GR1348941.{20}$/)
  })

  it('include tokens and limits for owners only', async () => {
    const group = await make.group({ owner: ada, visibility: 'public' })
    await make.member('groups', group.id, bob, 40)
    for (const user of [bob, null]) {
      const { body } = await as(user).get(`/groups/${group.id}`)
      expect(body).not.toHaveProperty('runners_token')
      expect(body).not.toHaveProperty('unique_project_download_limit')
    }
    expect((await as(root).get(`/groups/${group.id}`)).body).toHaveProperty('runners_token')
  })

  it('let only administrators set the CI minutes', async () => {
    const group = await make.group({ owner: ada, shared_runners_minutes_limit: 5 })
    expect(group.shared_runners_minutes_limit).toBeNull()
    const params = { shared_runners_minutes_limit: 5, extra_shared_runners_minutes_limit: 6 }
    expect((await as(root).put(`/groups/${group.id}`, params)).body).toMatchObject(params)
    const { body } = await as(ada).put(`/groups/${group.id}`, { shared_runners_minutes_limit: 9, name: 'N' })
    expect(body.shared_runners_minutes_limit).toBe(5)
  })

  it('let only administrators set the branch protection, if the instance says so', async () => {
    const group = await make.group({ owner: ada })
    const put = (user: typeof ada, level: number) =>
      as(user).put(`/groups/${group.id}`, { default_branch_protection: level })
    await as(root).put('/application/settings', { group_owners_can_manage_default_branch_protection: false })
    expect((await put(ada, 0)).body.default_branch_protection).toBe(2)
    expect((await put(root, 0)).body.default_branch_protection).toBe(0)
    await as(root).put('/application/settings', { group_owners_can_manage_default_branch_protection: true })
    expect((await put(ada, 1)).body.default_branch_protection).toBe(1)
  })

  it('for top-level groups are ignored or refused in subgroups', async () => {
    const top = await make.group({ owner: ada })
    const inner = await make.group({ owner: ada, parent_id: top.id })
    const { body } = await as(ada).put(`/groups/${inner.id}`, {
      prevent_sharing_groups_outside_hierarchy: true,
    })
    expect(body).not.toHaveProperty('prevent_sharing_groups_outside_hierarchy')
    expect(body).not.toHaveProperty('ip_restriction_ranges')
    const ranges = await as(ada).put(`/groups/${inner.id}`, { ip_restriction_ranges: '10.0.0.0/8' })
    expect([ranges.status, ranges.body.message]).toEqual([
      400,
      { 'ip_restrictions.group': ['IP subnet restriction only allowed for top-level groups'] },
    ])
  })

  const refused: [string, object, object][] = [
    [
      'ranges that are none',
      { ip_restriction_ranges: '10.0.0.0/33' },
      { message: { 'ip_restrictions.range': ['is an invalid IP address range'] } },
    ],
    [
      'templates from elsewhere',
      { file_template_project_id: 4711 },
      { message: { file_template_project_id: ['is invalid'] } },
    ],
    ['a bad level', { wiki_access_level: 'x' }, { error: 'wiki_access_level does not have a valid value' }],
    ['a bad number', { two_factor_grace_period: 'x' }, { error: 'two_factor_grace_period is invalid' }],
    [
      'a limit too high',
      { unique_project_download_limit: 10_001 },
      { error: 'unique_project_download_limit does not have a valid value' },
    ],
    [
      'a long description',
      { description: 'x'.repeat(501) },
      { message: { description: ['is too long (maximum is 500 characters)'] } },
    ],
  ]
  it.each(refused)('are not %s', async (_name, params, body) => {
    const group = await make.group({ owner: ada })
    const answer = await as(ada).put(`/groups/${group.id}`, params)
    expect([answer.status, answer.body]).toEqual([400, body])
  })

  it('accept a template project of the group', async () => {
    const group = await make.group({ owner: ada })
    const project = await make.project({ owner: ada, namespace_id: group.id })
    const { body } = await as(ada).put(`/groups/${group.id}`, { file_template_project_id: project.id })
    expect(body.file_template_project_id).toBe(project.id)
  })
})

describe('a lock on sharing', () => {
  it('applies to all subgroups, and only owners of the parent may unlock it', async () => {
    const top = await make.group({ owner: ada })
    const inner = await make.group({ owner: ada, parent_id: top.id })
    await make.member('groups', inner.id, bob, 50)
    await as(ada).put(`/groups/${top.id}`, { share_with_group_lock: true })
    expect((await as(ada).get(`/groups/${inner.id}`)).body.share_with_group_lock).toBe(true)
    const refused = await as(bob).put(`/groups/${inner.id}`, { share_with_group_lock: false })
    expect([refused.status, refused.body.message]).toEqual([
      400,
      {
        share_with_group_lock: [
          'cannot be disabled when the parent "Share with group lock" is enabled, except by the owner of the parent group',
        ],
      },
    ])
    const opened = await as(ada).put(`/groups/${inner.id}`, { share_with_group_lock: false })
    expect(opened.body.share_with_group_lock).toBe(false)
    const made = await make.group({ owner: ada, parent_id: top.id })
    expect(made.share_with_group_lock).toBe(true)
  })
})

describe('shared runners', () => {
  it('are disabled for everything below, and enabled again only if the parent allows it', async () => {
    const top = await make.group({ owner: ada })
    const inner = await make.group({ owner: ada, parent_id: top.id })
    const project = await make.project({ owner: ada, namespace_id: inner.id })
    const set = async (id: number, shared_runners_setting: string) =>
      (await as(ada).put(`/groups/${id}`, { shared_runners_setting })).body
    const runs = async () => (await as(ada).get(`/projects/${project.id}`)).body.shared_runners_enabled
    expect(await runs()).toBe(true)
    expect((await set(top.id, 'disabled_and_unoverridable')).shared_runners_setting).toBe(
      'disabled_and_unoverridable',
    )
    expect(await runs()).toBe(false)
    expect((await set(inner.id, 'enabled')).message).toEqual({
      update_shared_runners: [
        'Validation failed: Shared runners enabled cannot be enabled because parent group has shared Runners disabled',
      ],
    })
    expect((await set(inner.id, 'disabled_with_override')).message).toEqual({
      update_shared_runners: [
        'Validation failed: Allow descendants override disabled shared runners cannot be enabled because parent group does not allow it',
      ],
    })
    expect((await set(top.id, 'disabled_with_override')).shared_runners_setting).toBe(
      'disabled_and_overridable',
    )
    expect((await set(inner.id, 'enabled')).shared_runners_setting).toBe('enabled')
    expect(await runs()).toBe(false)
    const made = await make.group({ owner: ada, parent_id: top.id })
    expect(made.shared_runners_setting).toBe('disabled_and_overridable')
    expect((await set(top.id, 'x')).error).toBe('shared_runners_setting does not have a valid value')
  })
})

describe('the picture of a group', () => {
  it('is uploaded, shown and removed', async () => {
    const group = await make.group({ owner: ada, visibility: 'public' })
    const { status, body } = await as(ada).put(`/groups/${group.id}`, picture('logo.png'))
    expect(status).toBe(200)
    expect(body.avatar_url).toBe(`${url}/uploads/-/system/group/avatar/${group.id}/logo.png`)
    expect((await fetch(body.avatar_url)).status).toBe(200)
    expect((await as(ada).get(`/namespaces/${group.id}`)).body.avatar_url).toBe(body.avatar_url)
    const removed = await as(ada).put(`/groups/${group.id}`, new URLSearchParams({ avatar: '' }))
    expect(removed.body.avatar_url).toBeNull()
    expect((await fetch(body.avatar_url)).status).toBe(404)
  })

  it('can be uploaded with a new group', async () => {
    const form = picture('first.png', PNG, { name: 'Pictured', path: 'pictured' })
    const { status, body } = await as(ada).post('/groups', form)
    expect([status, body.path]).toEqual([201, 'pictured'])
    expect(body.avatar_url).toMatch(/first\.png$/)
  })

  it('returns 400 for other files and large ones', async () => {
    const big = await as(ada).post(
      '/groups',
      picture('big.png', Buffer.concat([PNG, Buffer.alloc(200 * 1024)]), { name: 'Big', path: 'big' }),
    )
    expect([big.status, big.body]).toEqual([
      400,
      { message: { avatar: ['is too big (should be at most 200 KiB)'] } },
    ])
    expect((await as(ada).get('/groups/big')).status).toBe(404)
    const group = await make.group({ owner: ada })
    const text = await as(ada).put(`/groups/${group.id}`, picture('x.png', Buffer.from('text')))
    expect(text.body.message.avatar[0]).toMatch(/^file format is not supported/)
    expect((await as(ada).put(`/groups/${group.id}`, { avatar: 'x' })).body).toEqual({
      error: 'avatar is invalid',
    })
  })
})

describe('subgroups', () => {
  it('have at most twenty ancestors', async () => {
    const deepest = await chain(21)
    const more = await as(ada).post('/groups', { name: 'Deep', path: 'deep', parent_id: deepest.id })
    expect([more.status, more.body.message]).toEqual([
      400,
      'Failed to save group {:parent_id=>["has too deep level of nesting"]}',
    ])
  })
})

describe('the old path of a moved group', () => {
  it('redirects to the group, its subgroups and their projects', async () => {
    const top = await make.group({ owner: ada, path: 'before' })
    const inner = await make.group({ owner: ada, parent_id: top.id, path: 'in' })
    const project = await make.project({ owner: ada, namespace_id: inner.id, path: 'tool' })
    const received: [string, unknown][] = []
    const stop = ctx().events.watch((name, event) => isOfSubscriber(name) || received.push([name, event]))
    await as(ada).put(`/groups/${top.id}`, { path: 'after' })
    stop()
    expect(received).toContainEqual([
      'group.renamed',
      { group_id: top.id, actor_id: ada.id, old_full_path: 'before', full_path: 'after' },
    ])
    for (const [path, location] of [
      ['groups/before', `groups/${top.id}`],
      ['groups/before%2Fin', `groups/${inner.id}`],
      ['projects/before%2Fin%2Ftool', `projects/${project.id}`],
    ] as const) {
      const answer = await as(ada).get(`/${path}`)
      expect([answer.status, answer.headers.get('location')]).toEqual([301, `${url}/api/v4/${location}`])
    }
    expect((await as(bob).get('/groups/before')).status).toBe(404)
    const taken = await as(ada).post('/groups', { name: 'New', path: 'before' })
    expect(taken.status).toBe(201)
    expect((await as(ada).get('/groups/before')).body.id).toBe(taken.body.id)
  })
})
