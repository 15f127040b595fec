import { describe, expect, it } from 'vitest'

import { recognizeLicense } from '../../../server/domains/projects/repository/license.ts'
import { world } from '../../support/world.ts'

const { as, root, make, ctx, url } = await world()
const ada = make.user({ username: 'ada' })
const guest = make.user()
const reporter = make.user()
const maintainer = make.user()
const stranger = make.user()
const PNG = new Blob([Buffer.from('89504e470d0a1a0a0000', 'hex')])
const project = await make.project({ owner: ada, with: 'readme', visibility: 'public', name: 'All' })
const at = `/projects/${project.id}`
await make.member('projects', project.id, guest, 10)
await make.member('projects', project.id, reporter, 20)
await make.member('projects', project.id, maintainer, 40)

const SIMPLE = [
  'id',
  'description',
  'name',
  'name_with_namespace',
  'path',
  'path_with_namespace',
  'created_at',
  'default_branch',
  'tag_list',
  'topics',
  'ssh_url_to_repo',
  'http_url_to_repo',
  'web_url',
  'readme_url',
  'forks_count',
  'avatar_url',
  'star_count',
  'last_activity_at',
  'namespace',
]

describe('the views of a project', () => {
  it('show anonymous callers the simple view, and code fields only to readers of the code', async () => {
    expect(Object.keys((await as(null).get(at)).body)).toEqual(SIMPLE)
    expect(Object.keys((await as(ada).get('/projects?simple=true&search=all')).body[0])).toEqual(SIMPLE)
    await as(ada).put(at, { repository_access_level: 'private' })
    const closed = Object.keys((await as(null).get(at)).body)
    expect(SIMPLE.filter((name) => !closed.includes(name))).toEqual([
      'default_branch',
      'readme_url',
      'forks_count',
    ])
    await as(ada).put(at, { repository_access_level: 'enabled' })
  })

  it('show users the full view, by their access level', async () => {
    const keys = async (user: typeof ada, query = '') => Object.keys((await as(user).get(at + query)).body)
    const everybody = await keys(stranger)
    expect(everybody).toEqual(
      expect.arrayContaining([
        'package_registry_access_level',
        'container_expiration_policy',
        'shared_with_groups',
        'marked_for_deletion_on',
        'permissions',
        'show_default_award_emojis',
        'mirror',
      ]),
    )
    const only = async (user: typeof ada, query = '') =>
      (await keys(user, query)).filter((name) => !everybody.includes(name))
    expect(await only(guest)).toEqual([])
    expect(await only(reporter, '?statistics=true')).toEqual(['statistics'])
    expect(await only(guest, '?statistics=true&with_custom_attributes=true')).toEqual([])
    expect(await only(maintainer)).toEqual(['runners_token', 'import_error'])
    expect(await only(root, '?with_custom_attributes=true')).toEqual([
      'repository_storage',
      'custom_attributes',
      'runners_token',
      'import_error',
    ])
  })

  it('show custom attributes to administrators, and lists filter by them', async () => {
    await as(root).put(`${at}/custom_attributes/team`, { value: 'red' })
    const attributes = [{ key: 'team', value: 'red' }]
    expect((await as(root).get(`${at}?with_custom_attributes=1`)).body.custom_attributes).toEqual(attributes)
    const rows = async (user: typeof ada, value: string) =>
      (await as(user).get(`/projects?custom_attributes[team]=${value}&with_custom_attributes=true`)).body
    expect((await rows(root, 'red'))[0].custom_attributes).toEqual(attributes)
    expect(await rows(root, 'blue')).toEqual([])
    const others = await rows(ada, 'blue')
    expect(others[0]).not.toHaveProperty('custom_attributes')
  })

  it('show the Auto DevOps setting of groups and the instance', async () => {
    const group = await make.group({ owner: ada })
    const inner = await make.group({ owner: ada, parent_id: group.id })
    const own = await make.project({ owner: ada, namespace_id: inner.id })
    const shown = async () => (await as(ada).get(`/projects/${own.id}`)).body.auto_devops_enabled
    expect(await shown()).toBe(true)
    await as(root).put('/application/settings', { auto_devops_enabled: false })
    expect(await shown()).toBe(false)
    await as(ada).put(`/groups/${group.id}`, { auto_devops_enabled: true })
    expect(await shown()).toBe(true)
    await as(ada).put(`/projects/${own.id}`, { auto_devops_enabled: false })
    expect(await shown()).toBe(false)
    await as(root).put('/application/settings', { auto_devops_enabled: true })
  })
})

describe('the description of a project', () => {
  it('is rendered as safe HTML, and follows the text', async () => {
    const own = await make.project({ owner: ada, name: 'Described', description: 'Plain words, and more.' })
    const html = async (id = own.id) => (await as(ada).get(`/projects/${id}`)).body.description_html
    expect(await html()).toBe('<p>Plain words, and more.</p>')
    const put = async (description: string | null) =>
      (await as(ada).put(`/projects/${own.id}`, { description })).body.description_html
    expect(await put('**Bold** <script>x</script> 1 < 2')).toBe('<p><strong>Bold</strong>  1 &lt; 2</p>')
    const fork = (await as(ada).post(`/projects/${own.id}/fork`, { path: 'd2', name: 'D2' })).body
    expect(fork.description_html).toBe('<p><strong>Bold</strong>  1 &lt; 2</p>')
    const other = { path: 'd3', name: 'D3', description: '`code`' }
    expect((await as(ada).post(`/projects/${own.id}/fork`, other)).body.description_html).toBe(
      '<p><code>code</code></p>',
    )
    expect(await put('- a list')).toBe('<ul>\n<li>a list</li>\n</ul>')
    expect(await put(null)).toBe('')
    // An older row without the rendered column.
    ctx().db.exec('UPDATE projects SET description = ? WHERE id = ?', '<b>old</b> & so', own.id)
    expect(await html()).toBe('<p>&lt;b&gt;old&lt;/b&gt; &amp; so</p>')
  })
})

describe('the settings of a project', () => {
  it('are all accepted by edit', async () => {
    const params = {
      package_registry_access_level: 'public',
      show_default_award_emojis: false,
      warn_about_potentially_unwanted_characters: false,
      approvals_before_merge: 2,
      external_authorization_classification_label: 'secret',
      issues_template: 'Say what happened',
      merge_requests_template: 'Say why',
      merge_pipelines_enabled: true,
      merge_trains_enabled: true,
      runner_token_expiration_interval: 86_400,
      ci_separated_caches: false,
      service_desk_enabled: true,
      suggestion_commit_message: 'Apply',
      requirements_access_level: 'disabled',
    }
    const { status, body } = await as(maintainer).put(at, params)
    expect(status).toBe(200)
    expect(body).toMatchObject({ ...params, requirements_enabled: false })
    const older = await as(maintainer).put(at, {
      requirements_enabled: true,
      security_and_compliance_enabled: true,
    })
    expect(older.body).toMatchObject({
      requirements_access_level: 'enabled',
      security_and_compliance_access_level: 'enabled',
    })
  })

  it('merge the cleanup policy with the stored one', async () => {
    const put = (container_expiration_policy_attributes: object) =>
      as(maintainer).put(at, { container_expiration_policy_attributes })
    expect((await as(ada).get(at)).body.container_expiration_policy).toMatchObject({
      cadence: '1d',
      enabled: false,
      keep_n: 10,
      older_than: '90d',
      name_regex: '.*',
      name_regex_keep: null,
    })
    await put({ cadence: '7d', name_regex_delete: 'old-.*' })
    const { body } = await put({ enabled: true, keep_n: 5 })
    expect(body.container_expiration_policy).toMatchObject({
      cadence: '7d',
      enabled: true,
      keep_n: 5,
      name_regex: 'old-.*',
    })
    const bad = await put({ name_regex_keep: '(' })
    expect([bad.status, bad.body]).toEqual([
      400,
      { message: { 'container_expiration_policy.name_regex_keep': ['not valid RE2 syntax'] } },
    ])
    expect((await put({ cadence: '2d' })).body).toEqual({
      error: 'container_expiration_policy_attributes[cadence] does not have a valid value',
    })
  })

  it('accept a storage from administrators only', async () => {
    const { body } = await as(maintainer).put(at, { repository_storage: 'nowhere', description: 'x' })
    expect(body.description).toBe('x')
    const bad = await as(root).put(at, { repository_storage: 'nowhere' })
    expect([bad.status, bad.body]).toEqual([400, { message: { repository_storage_moves: ['is invalid'] } }])
    expect((await as(root).put(at, { repository_storage: 'default' })).body.repository_storage).toBe(
      'default',
    )
  })

  it('refuse CI configuration paths outside of the repository', async () => {
    const put = async (ci_config_path: string) => (await as(maintainer).put(at, { ci_config_path })).body
    expect(await put('../x.yml')).toEqual({
      message: { ci_config_path: ["can't include directory traversal."] },
    })
    expect(await put('/x.yml')).toEqual({ message: { ci_config_path: ["can't include leading slash."] } })
    expect((await put('ci/main.yml')).ci_config_path).toBe('ci/main.yml')
  })

  it('default to the values of the instance and the groups', async () => {
    await as(root).put('/application/settings', {
      shared_runners_enabled: false,
      default_ci_config_path: 'ci.yml',
    })
    const { body } = await as(ada).post('/projects', { name: 'Defaults' })
    expect(body).toMatchObject({ shared_runners_enabled: false, ci_config_path: 'ci.yml' })
    await as(root).put('/application/settings', {
      shared_runners_enabled: true,
      shared_runners_text: null,
      default_ci_config_path: null,
    })
    const group = await make.group({ owner: ada })
    const setting = 'UPDATE namespaces SET shared_runners_setting = ? WHERE id = ?'
    ctx().db.exec(setting, 'disabled_and_unoverridable', group.id)
    const create = (more: object) =>
      as(ada).post('/projects', { name: 'In group', namespace_id: group.id, ...more })
    expect((await create({ shared_runners_enabled: true })).body).toEqual({
      message: { shared_runners_enabled: ['cannot be enabled because parent group does not allow it'] },
    })
    expect((await create({})).body.shared_runners_enabled).toBe(false)
  })
})

describe('the avatar of a project', () => {
  const form = (file: Blob, name: string, more: Record<string, string> = {}) => {
    const data = new FormData()
    for (const [key, value] of Object.entries(more)) data.set(key, value)
    data.set('avatar', file, name)
    return data
  }

  it('is set with a new project, replaced and removed', async () => {
    const made = await as(ada).post('/projects', form(PNG, 'avatar.png', { name: 'Pictured' }))
    expect(made.status).toBe(201)
    const own = `/projects/${made.body.id}`
    const address = (name: string) => `${url}/uploads/-/system/project/avatar/${made.body.id}/${name}`
    expect(made.body.avatar_url).toBe(address('avatar.png'))
    expect((await as(ada).put(own, form(PNG, 'other.png'))).body.avatar_url).toBe(address('other.png'))
    expect((await as(ada).put(own, { description: 'x' })).body.avatar_url).toBe(address('other.png'))
    expect((await as(ada).put(own, { avatar: '' })).body.avatar_url).toBeNull()
  })

  it('must be a small picture', async () => {
    const big = new Blob([Buffer.from('89504e47', 'hex'), Buffer.alloc(200 * 1024)])
    const refused = await as(ada).put(at, form(big, 'big.png'))
    expect([refused.status, refused.body]).toEqual([
      400,
      { message: { avatar: ['is too big (should be at most 200 KiB)'] } },
    ])
    const count = () => ctx().db.one('SELECT count(*) AS n FROM projects')
    const before = count()
    const page = await as(ada).post('/projects', form(new Blob(['<html>']), 'x.html', { name: 'Never made' }))
    expect(page.status).toBe(400)
    expect(count()).toEqual(before)
  })
})

describe('GET /projects/:id?license=true', () => {
  const put = (content: string) =>
    as(ada).post(`${at}/repository/files/LICENSE`, { branch: 'main', content, commit_message: 'Licence' })
  const MIT =
    'MIT License\n\nCopyright (c) 2026\n\nPermission is hereby granted, free of charge, to any person obtaining a copy\nof this software … The above copyright notice and this permission notice shall'

  it('returns the license, and follows the commits', async () => {
    const read = async (user: typeof ada | null = ada) => (await as(user).get(`${at}?license=true`)).body
    expect(await read()).toMatchObject({ license: null, license_url: null })
    await put(MIT)
    const license = {
      key: 'mit',
      name: 'MIT License',
      nickname: null,
      html_url: 'http://choosealicense.com/licenses/mit/',
      source_url: 'https://opensource.org/licenses/MIT',
    }
    expect(await read()).toMatchObject({ license, license_url: `${url}/ada/all/-/blob/main/LICENSE` })
    expect(await read(null)).toMatchObject({ license })
    await as(ada).put(`${at}/repository/files/LICENSE`, {
      branch: 'main',
      content: '  GNU GENERAL PUBLIC LICENSE\n   Version 3, 29 June 2007\n',
      commit_message: 'Another',
    })
    expect((await read()).license).toMatchObject({ key: 'gpl-3.0', nickname: 'GNU GPLv3' })
    await as(ada).delete(`${at}/repository/files/LICENSE?branch=main&commit_message=None`)
    expect((await read()).license).toBeNull()
    expect((await as(ada).get(at)).body).not.toHaveProperty('license')
  })

  it('is null for an empty repository, and for callers who may not read the code', async () => {
    const empty = await make.project({ owner: ada })
    expect((await as(ada).get(`/projects/${empty.id}?license=1`)).body.license).toBeNull()
    await as(ada).put(at, { repository_access_level: 'private' })
    expect((await as(stranger).get(`${at}?license=1`)).body).not.toHaveProperty('license')
    await as(ada).put(at, { repository_access_level: 'enabled' })
  })

  it('recognizes the common licenses by their text', () => {
    const texts: [string, string][] = [
      ['Apache License\n Version 2.0, January 2004', 'apache-2.0'],
      ['GNU LESSER GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007', 'lgpl-3.0'],
      ['GNU AFFERO GENERAL PUBLIC LICENSE\n  Version 3, 19 November 2007', 'agpl-3.0'],
      ['GNU GENERAL PUBLIC LICENSE Version 2, June 1991', 'gpl-2.0'],
      ['Mozilla Public License Version 2.0', 'mpl-2.0'],
      ['Redistribution and use in source and binary forms … in binary form must reproduce', 'bsd-2-clause'],
      [
        'Redistribution and use in source and binary forms … used to endorse or promote products',
        'bsd-3-clause',
      ],
      ['This is free and unencumbered software released into the public domain.', 'unlicense'],
      ['All rights reserved.', 'other'],
    ]
    for (const [text, key] of texts) expect([text, recognizeLicense(text).key]).toEqual([text, key])
  })
})

describe('lists for administrators', () => {
  it('are ordered by size', async () => {
    const small = await make.project({ owner: ada, name: 'Small' })
    ctx().db.exec('UPDATE projects SET repository_size = 10, wiki_size = 3 WHERE id = ?', project.id)
    ctx().db.exec('UPDATE projects SET repository_size = 5, packages_size = 9 WHERE id = ?', small.id)
    const first = async (order: string, user = root) =>
      (await as(user).get(`/projects?order_by=${order}&search=l`)).body[0].id
    expect(await first('repository_size')).toBe(project.id)
    expect(await first('wiki_size')).toBe(project.id)
    expect(await first('packages_size')).toBe(small.id)
    expect(await first('storage_size')).toBe(small.id)
    // Other callers get the default order: the newest first.
    expect(await first('repository_size', ada)).toBe(small.id)
    expect((await as(root).get('/projects?pagination=keyset&order_by=storage_size')).status).toBe(405)
  })

  it('find no project with failed checksums', async () => {
    expect((await as(root).get('/projects?repository_checksum_failed=true')).body).toEqual([])
    expect((await as(root).get('/projects?wiki_checksum_failed=true')).body).toEqual([])
    expect((await as(ada).get('/projects?wiki_checksum_failed=true')).body.length).toBeGreaterThan(0)
  })
})
