import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { readCommits } from '../../../server/git/read/commits.ts'
import { readHead, repositoryExists } from '../../../server/git/upkeep/repository.ts'
import { branchTip } from '../../../server/git/read/revisions.ts'
import { finishRepository, removeOrphanedRepository } from '../../../server/domains/projects/jobs.ts'
import { projectById, repoOf } from '../../../server/domains/projects/index.ts'
import { world } from '../../support/world.ts'
import { isOfSubscriber } from '../../support/subscribers.ts'

const { as, root, make, ctx, jobs, dataDir } = await world()
const ada = make.user({ username: 'ada' })
const bob = make.user({ username: 'bob' })
const repo = (id: number) => repoOf(ctx(), projectById(ctx().db, id)!)

describe('POST /projects', () => {
  it("creates a project in the caller's namespace, with its repository on disk and the creator as owner", async () => {
    jobs()
    const { status, body } = await as(ada).post('/projects', { name: 'My Tools', description: 'Some tools' })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      name: 'My Tools',
      path: 'my-tools',
      path_with_namespace: 'ada/my-tools',
      name_with_namespace: 'ADA / My Tools',
      description: 'Some tools',
      visibility: 'private',
      default_branch: 'main',
      empty_repo: true,
      owner: { username: 'ada' },
      creator_id: ada.id,
      pages_access_level: 'private',
      security_and_compliance_access_level: 'private',
      ci_default_git_depth: 20,
      allow_merge_on_skipped_pipeline: null,
      readme_url: null,
    })
    expect(body).not.toHaveProperty('permissions')
    expect(body).not.toHaveProperty('repository_storage')
    expect(await repositoryExists(repo(body.id))).toBe(true)
    expect(await readHead(repo(body.id))).toBe('refs/heads/main')
    expect(repo(body.id).gitDir).toMatch(
      new RegExp(`^${dataDir}/repositories/@hashed/../../[0-9a-f]{64}\\.git$`),
    )
    expect((await as(ada).get(`/projects/${body.id}/members`)).body).toMatchObject([
      { id: ada.id, access_level: 50 },
    ])
    expect(jobs()).not.toContain('projects.remove_unmade')
  })

  it('uses the path as name if there is only a path', async () => {
    const { body } = await as(ada).post('/projects', { path: 'Only.Path' })
    expect(body).toMatchObject({ name: 'Only.Path', path: 'Only.Path' })
  })

  it('starts with a README commit of the creator on the requested branch, and protects it', async () => {
    const params = {
      name: 'With readme',
      description: 'What it is',
      initialize_with_readme: true,
      default_branch: 'trunk',
    }
    const { body } = await as(ada).post('/projects', params)
    expect(body).toMatchObject({ default_branch: 'trunk', empty_repo: false })
    expect(body.readme_url).toMatch(/\/ada\/with-readme\/-\/blob\/trunk\/README\.md$/)
    const tip = await branchTip(repo(body.id), 'trunk')
    const [commit] = await readCommits(repo(body.id), [tip!])
    expect(commit).toMatchObject({
      message: 'Initial commit',
      author_name: 'ADA',
      author_email: 'ada@example.test',
      parent_ids: [],
    })
    const levels = ctx().db.many(
      `SELECT b.name, l.kind, l.access_level FROM protected_branches b JOIN protected_branch_levels l ON l.protected_branch_id = b.id
       WHERE b.project_id = ? ORDER BY l.id`,
      body.id,
    )
    expect(levels).toEqual([
      { name: 'trunk', kind: 'push', access_level: 40 },
      { name: 'trunk', kind: 'merge', access_level: 40 },
    ])
  })

  it('accepts settings, also in their older boolean forms', async () => {
    const { body } = await as(ada).post('/projects', {
      name: 'Settings',
      visibility: 'public',
      issues_enabled: false,
      wiki_access_level: 'private',
      topics: ['zeta', 'alpha', 'alpha', ''],
      public_builds: 'no',
      merge_method: 'ff',
      build_timeout: 7200,
      merge_commit_template: 'Merge %{source_branch}',
    })
    expect(body).toMatchObject({
      issues_access_level: 'disabled',
      issues_enabled: false,
      wiki_access_level: 'private',
      wiki_enabled: true,
      topics: ['alpha', 'zeta'],
      tag_list: ['alpha', 'zeta'],
      public_jobs: false,
      merge_method: 'ff',
      build_timeout: 7200,
      merge_commit_template: 'Merge %{source_branch}',
      pages_access_level: 'enabled',
    })
    expect(body._links).not.toHaveProperty('issues')
    expect(body).not.toHaveProperty('open_issues_count')
  })

  it('creates a project in a group if the caller may', async () => {
    const group = await make.group({ owner: ada })
    const create = (user: typeof ada, name: string) =>
      as(user).post('/projects', { name, namespace_id: group.id })
    const invalid = { message: { namespace: ['is not valid'] } }
    expect((await create(ada, 'one')).body).toMatchObject({ path_with_namespace: `${group.full_path}/one` })
    expect((await create(bob, 'two')).body).toEqual(invalid)
    await make.member('groups', group.id, bob, 20)
    expect((await create(bob, 'two')).body).toEqual(invalid)
    await as(ada).put(`/groups/${group.id}/members/${bob.id}`, { access_level: 30 })
    expect((await create(bob, 'two')).status).toBe(201)
    await as(ada).put(`/groups/${group.id}`, { project_creation_level: 'maintainer' })
    expect((await create(bob, 'three')).body).toEqual(invalid)
    await as(ada).put(`/groups/${group.id}`, { project_creation_level: 'noone' })
    expect((await create(ada, 'three')).body).toEqual(invalid)
    expect((await create(root, 'three')).status).toBe(201)
  })

  const longName = 'x'.repeat(256)
  const pathRule =
    "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-', end in '.git' or end in '.atom'"
  const refused: [string, object, object][] = [
    [
      'neither name nor path',
      {},
      { error: 'name, path are missing, at least one parameter must be provided' },
    ],
    ['an empty name', { name: ' ' }, { message: { name: ["can't be blank"], path: ["can't be blank"] } }],
    [
      'a bad name',
      { name: '-x/y' },
      { message: { name: [expect.stringMatching(/^can contain only letters, digits, emojis/)] } },
    ],
    [
      'a long name',
      { name: longName, path: 'p' },
      { message: { name: ['is too long (maximum is 255 characters)'] } },
    ],
    ['a path with a slash', { path: 'a/b', name: 'ab' }, { message: { path: [pathRule] } }],
    ['a path out of the house', { path: '../x', name: 'x' }, { message: { path: [pathRule] } }],
    ['a path like an option', { path: '-x', name: 'x' }, { message: { path: [pathRule] } }],
    ['a path like a repository', { path: 'x.git', name: 'x' }, { message: { path: [pathRule] } }],
    ['a reserved path', { path: 'blob', name: 'x' }, { message: { path: ['blob is a reserved name'] } }],
    ['a foreign namespace', { name: 'x', namespace_id: 1 }, { message: { namespace: ['is not valid'] } }],
    ['a missing namespace', { name: 'x', namespace_id: 4711 }, { message: { namespace: ['is not valid'] } }],
    [
      'a bad branch',
      { name: 'x', default_branch: '-b' },
      { message: { default_branch: ['is not a valid branch name'] } },
    ],
    [
      'a bad visibility',
      { name: 'x', visibility: 'open' },
      { error: 'visibility does not have a valid value' },
    ],
    [
      'a short timeout',
      { name: 'x', build_timeout: 5 },
      { error: 'build_timeout does not have a valid value' },
    ],
    ['a list for a name', { name: ['x'] }, { error: 'name is invalid' }],
    ['NUL in a name', { name: 'a\0b' }, { error: 'name is invalid' }],
    [
      'a long description',
      { name: 'x', description: 'd'.repeat(2001) },
      { message: { description: ['is too long (maximum is 2000 characters)'] } },
    ],
  ]
  it.each(refused)('refuses %s', async (_name, params, answer) => {
    const result = await as(bob).post('/projects', params)
    expect([result.status, result.body]).toEqual([400, answer])
  })

  it('refuses a name or path that the namespace already has, in any case', async () => {
    await as(bob).post('/projects', { name: 'Twice', path: 'twice' })
    const taken = ['has already been taken']
    const both = await as(bob).post('/projects', { name: 'TWICE' })
    expect([both.status, both.body]).toEqual([
      400,
      { message: { 'project_namespace.name': taken, name: taken, path: taken } },
    ])
    expect((await as(bob).post('/projects', { name: 'Other', path: 'Twice' })).body).toEqual({
      message: { path: taken },
    })
    expect((await as(bob).post('/projects', { name: 'twice', path: 'free' })).body).toEqual({
      message: { 'project_namespace.name': taken, name: taken },
    })
  })

  it('refuses the path of a group in the same namespace', async () => {
    const group = await make.group()
    await make.group({ parent_id: group.id, path: 'inner', name: 'Inner' })
    const { status, body } = await as(root).post('/projects', { name: 'Inner', namespace_id: group.id })
    expect([status, body]).toEqual([400, { message: { path: ['has already been taken'] } }])
  })

  it("refuses a visibility above the group's, and defaults to one below it", async () => {
    const group = await make.group({ visibility: 'private' })
    const { status, body } = await as(root).post('/projects', {
      name: 'Open',
      namespace_id: group.id,
      visibility: 'public',
    })
    expect([status, body]).toEqual([
      400,
      { message: { visibility_level: ['public is not allowed in a private group.'] } },
    ])
    await as(root).put('/application/settings', { default_project_visibility: 'public' })
    expect(
      (await as(root).post('/projects', { name: 'Default', namespace_id: group.id })).body.visibility,
    ).toBe('private')
    await as(root).put('/application/settings', { restricted_visibility_levels: ['public'] })
    expect((await as(bob).post('/projects', { name: 'Narrower' })).body.visibility).toBe('internal')
    expect((await as(bob).post('/projects', { name: 'Restricted', visibility: 'public' })).body).toEqual({
      message: { visibility_level: ['public has been restricted by your administrator.'] },
    })
    expect((await as(root).post('/projects', { name: 'Admin may', visibility: 'public' })).status).toBe(201)
    await as(root).put('/application/settings', {
      restricted_visibility_levels: [],
      default_project_visibility: 'private',
    })
  })

  it('refuses a project above the limit', async () => {
    const limited = make.user()
    ctx().db.exec('UPDATE users SET projects_limit = 1 WHERE id = ?', limited.id)
    expect((await as(limited).post('/projects', { name: 'one' })).status).toBe(201)
    const { status, body } = await as(limited).post('/projects', { name: 'two' })
    expect(status).toBe(403)
    expect(body).toEqual({
      error: ['Your project limit is 1 projects! Please contact your administrator to increase it'],
    })
  })

  it('uses the default branch name of the settings', async () => {
    await as(root).put('/application/settings', { default_branch_name: 'develop' })
    const { body } = await as(bob).post('/projects', { name: 'Branch' })
    expect(body.default_branch).toBe('develop')
    expect(await readHead(repo(body.id))).toBe('refs/heads/develop')
    await as(root).put('/application/settings', { default_branch_name: '' })
  })

  it('requires authentication', async () => {
    expect((await as(null).post('/projects', { name: 'x' })).status).toBe(401)
  })

  it('lets one of two concurrent requests have the path', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => as(ada).post('/projects', { name: 'Race' })))
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 400, 400])
  })

  it('leaves nothing behind if the repository cannot be created', async () => {
    const before = ctx().db.one<{ count: number }>('SELECT count(*) AS count FROM projects')
    const { rename } = await import('node:fs/promises')
    const { writeFileSync, rmSync } = await import('node:fs')
    const folder = join(dataDir, 'repositories')
    await rename(folder, `${folder}.away`)
    writeFileSync(folder, 'in the way')
    const { status, body } = await as(ada).post('/projects', { name: 'No disk' })
    rmSync(folder)
    await rename(`${folder}.away`, folder)
    expect([status, body.message]).toEqual([
      507,
      'A folder of the instance is not there at the moment; nothing was changed.',
    ])
    expect(ctx().db.one('SELECT count(*) AS count FROM projects')).toEqual(before)
  })
})

describe('POST /projects/user/:user_id', () => {
  it('creates a project in the namespace of another user', async () => {
    const { status, body } = await as(root).post(`/projects/user/${ada.id}`, { name: 'Gift' })
    expect(status).toBe(201)
    expect(body).toMatchObject({ path_with_namespace: 'ada/gift', creator_id: ada.id })
  })

  it('is limited to administrators, and requires a user and a name', async () => {
    expect((await as(ada).post(`/projects/user/${bob.id}`, { name: 'x' })).status).toBe(403)
    expect((await as(root).post('/projects/user/4711', { name: 'x' })).body).toEqual({
      message: '404 User Not Found',
    })
    expect((await as(root).post(`/projects/user/${bob.id}`, {})).body).toEqual({ error: 'name is missing' })
  })
})

describe('a project during its creation', () => {
  const templates = [
    { initialize_with_readme: true },
    { template_name: 'rails' },
    { template_project_id: 'one of its own' },
  ]

  it.each(templates)('is invisible until it is complete (%o)', async (params) => {
    const template_project_id =
      'template_project_id' in params ? (await make.project({ with: 'readme', owner: ada })).id : undefined
    const seen: string[] = []
    const stop = ctx().events.watch((name, payload) => {
      if (!name.startsWith('project.') || isOfSubscriber(name)) return
      const { project_id } = payload as { project_id: number }
      seen.push(`${name}: ${existsSync(join(repo(project_id).gitDir, 'HEAD'))}`)
    })
    for (let round = 0; round < 5; round++) {
      const path = `unseen-${Object.keys(params)[0]}-${round}`
      let isMade = false
      const made = as(ada)
        .post('/projects', { ...params, path, ...(template_project_id ? { template_project_id } : {}) })
        .finally(() => (isMade = true))
      const unseen: unknown[] = []
      while (!isMade) {
        const [{ body: list }, single] = await Promise.all([
          as(ada).get(`/projects?search=${path}`),
          as(ada).get(`/projects/${encodeURIComponent(`ada/${path}`)}`),
        ])
        for (const { id } of [...list, ...(single.status === 200 ? [single.body] : [])])
          if (!(await repositoryExists(repo(id)))) unseen.push(id)
        if (single.status === 200 && 'initialize_with_readme' in params && single.body.empty_repo)
          unseen.push(single.body)
      }
      expect((await made).status).toBe(201)
      expect(unseen).toEqual([])
    }
    stop()
    expect(seen.length).toBeGreaterThanOrEqual(5)
    expect(seen.filter((line) => line.endsWith('false'))).toEqual([])
  })

  it('leaves nothing behind if another one takes its path meanwhile', async () => {
    const folders = () => readdirSync(join(dataDir, 'repositories'), { recursive: true }).length
    const requests = Array.from({ length: 4 }, () =>
      as(ada).post('/projects', { path: 'raced', initialize_with_readme: true }),
    )
    const before = folders()
    const answers = await Promise.all(requests)
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400, 400, 400])
    expect(answers.find(({ status }) => status === 400)!.body).toMatchObject({
      message: { path: ['has already been taken'] },
    })
    const { id } = answers.find(({ status }) => status === 201)!.body
    const rows = ctx().db.many<{ disk_path: string }>('SELECT disk_path FROM projects')
    const names = readdirSync(join(dataDir, 'repositories'), { recursive: true, encoding: 'utf8' })
    const folders_ = names.filter((name) => /\.git([.]|$)/.test(name.split(/[\\/]/).at(-1)!))
    expect(
      folders_.filter((name) => !rows.some((row) => row.disk_path === name.replaceAll('\\', '/'))),
    ).toEqual([])
    expect(folders()).toBeGreaterThan(before)
    expect(await branchTip(repo(id), 'main')).toMatch(/^[0-9a-f]{40}$/)
    const sql = "SELECT count(*) AS n FROM jobs WHERE name = 'projects.remove_unmade'"
    expect(ctx().db.one(sql)).toEqual({ n: 0 })
  })

  it('is deleted by the job after a crash, and only then', async () => {
    const project = await make.project({ with: 'readme', owner: ada })
    const { id: project_id, repository_storage, disk_path } = projectById(ctx().db, project.id)!
    await removeOrphanedRepository.run(ctx(), { project_id, repository_storage, disk_path })
    expect(await branchTip(repo(project_id), 'main')).toMatch(/^[0-9a-f]{40}$/)
    const unmade = disk_path.replace(/[0-9a-f]{8}\.git$/, '00000000.git')
    const gitDir = join(dataDir, 'repositories', unmade)
    cpSync(repo(project_id).gitDir, gitDir, { recursive: true })
    await removeOrphanedRepository.run(ctx(), { project_id: 4711, repository_storage, disk_path: unmade })
    expect(existsSync(gitDir)).toBe(false)
  })
})

describe('a creation that an earlier release did not finish', () => {
  it('is finished once by the job', async () => {
    const { id } = await make.project({ with: 'readme', owner: ada })
    const { db } = ctx()
    rmSync(repo(id).gitDir, { recursive: true })
    db.exec("UPDATE projects SET repository_state = 'pending', empty_repo = 1 WHERE id = ?", id)
    const received: string[] = []
    // Jobs of earlier tests may still publish events of their own projects.
    const stop = ctx().events.watch((name, payload) => {
      if (name.startsWith('project.') && (payload as { project_id: number }).project_id === id)
        received.push(name)
    })
    const args = { project_id: id, initialize_with_readme: true, actor_id: ada.id }
    await Promise.all([finishRepository.run(ctx(), args), finishRepository.run(ctx(), args)])
    await finishRepository.run(ctx(), args)
    stop()
    expect(received).toEqual(['project.created'])
    expect((await as(ada).get(`/projects/${id}`)).body.empty_repo).toBe(false)
    expect(existsSync(repo(id).gitDir)).toBe(true)
    expect(await branchTip(repo(id), 'main')).toMatch(/^[0-9a-f]{40}$/)
  })
})
