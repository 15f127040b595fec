import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'

// Runs an unmodified client against a real instance. The test does not check the requests of the client, only that its
// calls succeed.
const here = await world()
const api = new Gitlab({ host: here.url, token: here.root.token })
/** The client returns bytes as a Blob, and text as text. */
const textOf = async (answer: unknown) => (answer instanceof Blob ? answer.text() : String(answer))
const text = (content: string) => Buffer.from(content).toString('base64')

describe('@gitbeaker/rest on the instance', () => {
  it('reads version and metadata', async () => {
    expect(await api.Metadata.show()).toMatchObject({ version: '15.11.13-ee', enterprise: true })
  })

  it('reads and changes application settings', async () => {
    expect(await api.ApplicationSettings.show()).toMatchObject({ default_branch_protection: 2 })
    const changed = await api.ApplicationSettings.edit({ defaultBranchName: 'trunk' } as never)
    expect(changed).toMatchObject({ default_branch_name: 'trunk' })
    expect(await api.ApplicationSettings.edit({ defaultBranchName: 'main' } as never)).toMatchObject({
      default_branch_name: 'main',
    })
  })

  it('renders Markdown', async () => {
    expect(await api.Markdown.render('**bold**')).toMatchObject({ html: '<p><strong>bold</strong></p>\n' })
  })
})

describe('@gitbeaker/rest with users and tokens', () => {
  it('shows the signed-in user, and creates, finds, shows and updates another', async () => {
    expect(await api.Users.showCurrentUser()).toMatchObject({ username: 'root', is_admin: true })
    const made = await api.Users.create({
      email: 'ada@example.test',
      name: 'Ada',
      username: 'ada',
      password: 'lovelace 1815',
    })
    expect(made).toMatchObject({ username: 'ada', state: 'active' })
    expect(await api.Users.show(made.id)).toMatchObject({ name: 'Ada' })
    expect(await api.Users.edit(made.id, { bio: 'Analyst' })).toMatchObject({ bio: 'Analyst' })
    expect((await api.Users.all({ username: 'ADA' })).map((user) => user.id)).toEqual([made.id])
    expect((await api.Users.allProjects(made.id)).length).toBe(0)
    expect((await api.Users.allStarredProjects(made.id)).length).toBe(0)
  })

  it('creates, lists, shows and revokes personal access tokens', async () => {
    const user = here.make.user()
    const made = await api.PersonalAccessTokens.create(user.id, 'for tests', ['read_api'])
    expect(made.token).toMatch(/^glpat-/)
    const all = await api.PersonalAccessTokens.all({ userId: user.id })
    expect(all.map((token) => token.id)).toContain(made.id)
    expect(await api.PersonalAccessTokens.show({ tokenId: made.id })).toMatchObject({ name: 'for tests' })
    const own = new Gitlab({ host: here.url, token: made.token })
    expect(await own.PersonalAccessTokens.show()).toMatchObject({ id: made.id })
    await api.PersonalAccessTokens.remove({ tokenId: made.id })
    await expect(own.Users.showCurrentUser()).rejects.toThrow(/Not found|invalid_token/i)
  })
})

describe('@gitbeaker/rest with groups and namespaces', () => {
  it('creates, shows, updates, lists and deletes groups, and finds their namespaces', async () => {
    const group = await api.Groups.create('Beaker', 'beaker', { visibility: 'internal' })
    const sub = await api.Groups.create('Cup', 'cup', { parentId: group.id })
    expect(await api.Groups.show('beaker/cup')).toMatchObject({ id: sub.id, full_path: 'beaker/cup' })
    expect(await api.Groups.edit(group.id, { description: 'Glass' })).toMatchObject({ description: 'Glass' })
    expect((await api.Groups.all()).map((row) => row.id)).toContain(group.id)
    expect((await api.Groups.allSubgroups(group.id)).map((subgroup) => subgroup.id)).toEqual([sub.id])
    expect((await api.Groups.allDescendantGroups(group.id, {})).map((group) => group.id)).toEqual([sub.id])
    expect((await api.Groups.allProjects(group.id)).length).toBe(0)
    expect((await api.Namespaces.all({ search: 'beaker' })).length).toBeGreaterThan(0)
    expect(await api.Namespaces.show('beaker')).toMatchObject({ kind: 'group' })
    expect(await api.Namespaces.exists('beaker', {} as never)).toMatchObject({ exists: true })
    // The deletion of groups is delayed by some days, unless the settings disable the delay.
    await api.Groups.remove(sub.id)
    expect(await api.Groups.show(sub.id)).toMatchObject({
      marked_for_deletion_on: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
    })
  })

  it('manages the members of a group', async () => {
    const group = await here.make.group()
    const user = here.make.user()
    expect(await api.GroupMembers.add(group.id, 30, { userId: user.id } as never)).toMatchObject({
      access_level: 30,
    })
    expect(await api.GroupMembers.show(group.id, user.id)).toMatchObject({ username: user.username })
    expect(await api.GroupMembers.edit(group.id, user.id, 40)).toMatchObject({ access_level: 40 })
    expect((await api.GroupMembers.all(group.id, { includeInherited: true })).map((row) => row.id)).toContain(
      user.id,
    )
    await api.GroupMembers.remove(group.id, user.id)
    await expect(api.GroupMembers.show(group.id, user.id)).rejects.toThrow(/Not found|invalid_token/i)
  })
})

describe('@gitbeaker/rest with projects', () => {
  it('creates, shows, updates, stars, archives, lists and deletes a project', async () => {
    const project = await api.Projects.create({ name: 'Beaker project', initializeWithReadme: true })
    expect(project).toMatchObject({ path: 'beaker-project', default_branch: 'main' })
    expect(await api.Projects.show('root/beaker-project')).toMatchObject({ id: project.id })
    expect(await api.Projects.edit(project.id, { description: 'Holds liquids' })).toMatchObject({
      description: 'Holds liquids',
    })
    expect(await api.Projects.star(project.id)).toMatchObject({ star_count: 1 })
    expect((await api.Projects.allStarrers(project.id)).length).toBe(1)
    expect(await api.Projects.unstar(project.id)).toMatchObject({ star_count: 0 })
    expect(await api.Projects.archive(project.id)).toMatchObject({ archived: true })
    expect(await api.Projects.unarchive(project.id)).toMatchObject({ archived: false })
    expect((await api.Projects.all({ search: 'beaker', simple: true })).map((row) => row.id)).toContain(
      project.id,
    )
    expect((await api.Projects.allUsers(project.id)).length).toBe(1)
    expect((await api.Projects.allGroups(project.id)).length).toBe(0)
    await api.Projects.remove(project.id)
    await expect(api.Projects.show(project.id)).rejects.toThrow(/Not found|invalid_token/i)
  })

  it('reads every page of a list, by offset and by keyset', async () => {
    for (let index = 0; index < 7; index++) await here.make.project({ topics: ['paged'] })
    const byOffset = await api.Projects.all({ topic: 'paged', perPage: 3 })
    const byKeyset = await api.Projects.all({
      topic: 'paged',
      perPage: 3,
      pagination: 'keyset',
      orderBy: 'id',
      sort: 'asc',
    } as never)
    expect(byOffset).toHaveLength(7)
    expect(byKeyset.map((row) => row.id)).toEqual(byOffset.map((row) => row.id).sort((a, b) => a - b))
  })

  it('manages the members of a project', async () => {
    const project = await here.make.project()
    const user = here.make.user()
    expect(await api.ProjectMembers.add(project.id, 20, { userId: user.id } as never)).toMatchObject({
      access_level: 20,
    })
    expect((await api.ProjectMembers.all(project.id)).map((row) => row.id)).toContain(user.id)
    expect(await api.ProjectMembers.edit(project.id, user.id, 30)).toMatchObject({ access_level: 30 })
    await api.ProjectMembers.remove(project.id, user.id)
  })
})

describe('@gitbeaker/rest with a repository', () => {
  it('writes, reads and deletes files', async () => {
    const { id } = await here.make.project({ with: 'readme' })
    const path = 'src/a file.txt'
    expect(await api.RepositoryFiles.create(id, path, 'main', 'one', 'Add a file')).toEqual({
      file_path: path,
      branch: 'main',
    })
    expect(await api.RepositoryFiles.edit(id, path, 'main', 'two', 'Change it')).toMatchObject({
      branch: 'main',
    })
    expect(await api.RepositoryFiles.show(id, path, 'main')).toMatchObject({
      content: text('two'),
      encoding: 'base64',
    })
    expect(await textOf(await api.RepositoryFiles.showRaw(id, path, 'main'))).toBe('two')
    const tree = await api.Repositories.allRepositoryTrees(id, { recursive: true })
    expect(tree.map((entry) => entry.path).sort()).toEqual(['README.md', 'src', path])
    const blob = tree.find((entry) => entry.path === path)!
    expect(await api.Repositories.showBlob(id, blob.id)).toMatchObject({ size: 3 })
    expect(await textOf(await api.Repositories.showBlobRaw(id, blob.id))).toBe('two')
    await api.RepositoryFiles.remove(id, path, 'main', 'Remove it')
    await expect(api.RepositoryFiles.show(id, path, 'main')).rejects.toThrow(/Not found|invalid_token/i)
  })

  it('creates and reads commits', async () => {
    const { id } = await here.make.project({ with: 'readme' })
    const made = await api.Commits.create(id, 'main', 'Two files at once', [
      { action: 'create', filePath: 'a.txt', content: 'a\n' },
      { action: 'create', filePath: 'b.txt', content: 'b\n' },
    ])
    expect(made).toMatchObject({ title: 'Two files at once' })
    expect((await api.Commits.all(id)).map((commit) => commit.title)).toEqual([
      'Two files at once',
      'Initial commit',
    ])
    expect(await api.Commits.show(id, made.id)).toMatchObject({
      id: made.id,
      stats: { additions: 2, deletions: 0, total: 2 },
    })
    expect((await api.Commits.showDiff(id, made.id)).map((diff) => diff.new_path)).toEqual(['a.txt', 'b.txt'])
    expect(await api.Commits.allReferences(id, made.id)).toEqual([{ type: 'branch', name: 'main' }])
  })

  it('creates, lists and deletes branches and tags', async () => {
    const { id } = await here.make.project({ with: 'readme' })
    expect(await api.Branches.create(id, 'feature/one', 'main')).toMatchObject({
      name: 'feature/one',
      protected: false,
    })
    expect((await api.Branches.all(id)).map((branch) => branch.name)).toEqual(['feature/one', 'main'])
    expect(await api.Branches.show(id, 'feature/one')).toMatchObject({ merged: false, default: false })
    await api.Branches.remove(id, 'feature/one')
    await expect(api.Branches.show(id, 'feature/one')).rejects.toThrow(/Not found|invalid_token/i)
    expect(await api.Tags.create(id, 'v1.0', 'main', { message: 'First' })).toMatchObject({
      name: 'v1.0',
      message: 'First',
    })
    expect((await api.Tags.all(id)).map((tag) => tag.name)).toEqual(['v1.0'])
    expect(await api.Tags.show(id, 'v1.0')).toMatchObject({ name: 'v1.0' })
    await api.Tags.remove(id, 'v1.0')
  })

  it('protects branches', async () => {
    const { id } = await here.make.project({ with: 'readme' })
    expect((await api.ProtectedBranches.all(id)).map((row) => row.name)).toEqual(['main'])
    expect(await api.ProtectedBranches.create(id, 'release/*', { pushAccessLevel: 30 })).toMatchObject({
      name: 'release/*',
    })
    expect(await api.ProtectedBranches.show(id, 'release/*')).toMatchObject({ allow_force_push: false })
    expect(await api.ProtectedBranches.edit(id, 'release/*', { allowForcePush: true })).toMatchObject({
      allow_force_push: true,
    })
    await api.ProtectedBranches.remove(id, 'release/*')
    await expect(api.ProtectedBranches.show(id, 'release/*')).rejects.toThrow(/Not found|invalid_token/i)
  })
})
