import type { Positions, Problem } from './document.ts'
import { Finder, type ExistingObjects, type Path } from './finder.ts'
import { nearest } from './problems.ts'
import { ACCESS, type World, type WorldProject } from './schema.ts'

/** Finds references to missing people, groups, labels, milestones, branches and commits, and duplicates. */
export function referenceProblems(world: World, existing: ExistingObjects, positions: Positions): Problem[] {
  return new References(world, existing, positions).check()
}

const NO_FOLDER =
  'Only the command line reads folders of a computer: deskforge world apply FILE, or deskforge serve --world FILE.'

/** The history of an imported project is not in the world. */
function isImported({ git, folder }: WorldProject): boolean {
  return git !== undefined || folder !== undefined
}

class References extends Finder {
  check(): Problem[] {
    const { users = [], groups = [], projects = [] } = this.world
    this.unique(
      users.map(({ username }) => username),
      ['users'],
      'username',
      'user',
    )
    this.unique(
      groups.map(({ path }) => path),
      ['groups'],
      'path',
      'group',
    )
    this.unique(
      projects.map(({ path }) => path),
      ['projects'],
      'path',
      'project',
    )
    const tokens = users.flatMap((user, index) =>
      (user.tokens ?? []).map(({ token }, at) => ({ token, path: ['users', index, 'tokens', at, 'token'] })),
    )
    const seen = new Set<string>()
    for (const { token, path } of tokens) {
      if (seen.has(token)) this.add(path, 'Two tokens have the same text.')
      seen.add(token)
    }
    for (const [index, group] of groups.entries()) this.#group(group, ['groups', index])
    for (const [index, project] of projects.entries()) this.#project(project, ['projects', index])
    return this.problems
  }

  #members(members: Readonly<Record<string, unknown>> | undefined, path: Path): void {
    for (const username of Object.keys(members ?? {}))
      this.user(username, [...path, 'members', username], 'key')
  }

  #parent(full: string, path: Path, isProject: boolean): void {
    const parts = full.split('/')
    const wrong = parts
      .map((part, index) => this.existing.pathProblem(part, index === 0))
      .find((problem) => problem)
    if (wrong !== undefined)
      return this.add(path, `The path "${full}" ${/^[a-z]/.test(wrong) ? '' : 'is wrong: '}${wrong}.`)
    const parent = parts.slice(0, -1).join('/')
    if (parent === '') {
      if (isProject) this.add(path, `A project needs a group or user in front: "group/${full}".`)
      return
    }
    if (this.groups.has(parent) || this.existing.group(parent)) return
    if (isProject && !parent.includes('/') && (this.users.has(parent) || this.existing.user(parent))) return
    const near = nearest(parent, [...this.groups.keys(), ...(isProject ? this.users : [])])
    const noun = isProject ? 'group or user' : 'group'
    this.add(
      path,
      `There is no ${noun} "${parent}".${near ? ` Did you mean "${near}"?` : ' Add it to groups.'}`,
    )
  }

  #group(group: NonNullable<World['groups']>[number], path: Path): void {
    this.#parent(group.path, [...path, 'path'], false)
    this.#members(group.members, path)
    this.#visibility(group, path)
    this.unique(
      (group.labels ?? []).map(({ name }) => name),
      [...path, 'labels'],
      'name',
      'label',
    )
    this.unique(
      (group.milestones ?? []).map(({ title }) => title),
      [...path, 'milestones'],
      'title',
      'milestone',
    )
  }

  #visibility(
    { path: full, visibility }: { path: string; visibility?: string | undefined },
    path: Path,
  ): void {
    const words = ['private', 'internal', 'public']
    for (const group of this.above(full)) {
      if (words.indexOf(visibility ?? 'private') <= words.indexOf(group.visibility ?? 'private')) continue
      this.add(
        [...path, 'visibility'],
        `It cannot be ${visibility} in the group ${group.path}, which is ${group.visibility ?? 'private'}.`,
      )
      return
    }
  }

  #project(project: WorldProject, path: Path): void {
    this.#parent(project.path, [...path, 'path'], true)
    this.#members(project.members, path)
    this.#visibility(project, path)
    this.user(project.creator, [...path, 'creator'])
    this.people(project.stars, [...path, 'stars'])
    const sources = (['git', 'folder', 'files'] as const).filter((key) => project[key] !== undefined)
    if (sources.length > 1) this.add([...path, sources[1]!], `A project has either ${sources.join(' or ')}.`)
    if (isImported(project) && project.commits)
      this.add([...path, 'commits'], 'A project that is imported has no commits of its own here.')
    if (project.folder !== undefined && !this.existing.hasFolder(project.path))
      this.add([...path, 'folder'], NO_FOLDER)
    this.unique(
      (project.labels ?? []).map(({ name }) => name),
      [...path, 'labels'],
      'name',
      'label',
    )
    this.unique(
      (project.issues ?? []).map(({ title }) => title),
      [...path, 'issues'],
      'title',
      'issue',
    )
    const merge = project.merge_requests ?? []
    this.unique(
      merge.map(({ title }) => title),
      [...path, 'merge_requests'],
      'title',
      'merge request',
    )
    this.#planning(project, path)
    this.#history(project, path)
    this.#authors(project, path)
  }

  #planning(project: WorldProject, path: Path): void {
    const above = this.above(project.path)
    const labels = new Set([
      ...(project.labels ?? []).map(({ name }) => name),
      ...above.flatMap((group) => (group.labels ?? []).map(({ name }) => name)),
    ])
    const milestones = new Set([
      ...(project.milestones ?? []).map(({ title }) => title),
      ...above.flatMap((group) => (group.milestones ?? []).map(({ title }) => title)),
    ])
    const ownNames = { labels, milestones }
    for (const kind of ['issues', 'merge_requests'] as const) {
      for (const [index, issue] of (project[kind] ?? []).entries()) {
        const at = [...path, kind, index]
        for (const [number, name] of (issue.labels ?? []).entries())
          this.#titled(name, 'labels', project.path, ownNames.labels, [...at, 'labels', number])
        if (issue.milestone !== undefined)
          this.#titled(issue.milestone, 'milestones', project.path, ownNames.milestones, [...at, 'milestone'])
      }
    }
    for (const [index, { milestones: names }] of (project.releases ?? []).entries())
      for (const [number, title] of (names ?? []).entries())
        this.#titled(title, 'milestones', project.path, ownNames.milestones, [
          ...path,
          'releases',
          index,
          'milestones',
          number,
        ])
  }

  #titled(
    title: string,
    kind: 'labels' | 'milestones',
    project: string,
    own: ReadonlySet<string>,
    path: Path,
  ): void {
    if (own.has(title) || this.existing[kind](project).has(title)) return
    const near = nearest(title, [...own])
    const noun = kind === 'labels' ? 'label' : 'milestone'
    const hint = near ? `Did you mean "${near}"?` : `Add it to ${kind} of the project or its group.`
    this.add(path, `There is no ${noun} "${title}" here. ${hint}`)
  }

  #history(project: WorldProject, path: Path): void {
    if (isImported(project) || this.existing.project(project.path)) return
    const main = project.default_branch ?? 'main'
    const ids = new Set<string>()
    const branches = new Set<string>(project.files ? [main] : [])
    const titles = new Set((project.merge_requests ?? []).map(({ title }) => title))
    for (const [index, commit] of (project.commits ?? []).entries()) {
      const at = [...path, 'commits', index]
      const isName = (name: string) => ids.has(name) || branches.has(name)
      if (commit.merge !== undefined) {
        if (!titles.has(commit.merge))
          this.add([...at, 'merge'], `There is no merge request "${commit.merge}" in this project.`)
        if (commit.id) ids.add(commit.id)
        continue
      }
      if (commit.message === undefined) this.add([...at, 'message'], 'A commit needs a message.')
      if (commit.from && !isName(commit.from))
        this.add([...at, 'from'], `No branch or commit before this is called "${commit.from}".`)
      for (const [number, parent] of (commit.parents ?? []).entries())
        if (!isName(parent))
          this.add([...at, 'parents', number], `No commit before this is called "${parent}".`)
      if (commit.author && !/<.+>$/.test(commit.author)) this.user(commit.author, [...at, 'author'])
      const branch = commit.branch ?? main
      const isFirst = branches.size === 0 && ids.size === 0
      if (!branches.has(branch) && !isFirst && !commit.from && !commit.parents && !branches.has(main))
        this.add([...at, 'branch'], `The branch "${branch}" has no start; add "from".`)
      branches.add(branch)
      if (commit.id) ids.add(commit.id)
    }
    for (const [index, { name, ref }] of (project.branches ?? []).entries()) {
      if (!branches.has(ref ?? main) && !ids.has(ref ?? main))
        this.add(
          [...path, 'branches', index, ref === undefined ? 'name' : 'ref'],
          `There is no branch or commit "${ref ?? main}".`,
        )
      branches.add(name)
    }
    const tags = new Set<string>()
    for (const [index, { name, ref }] of (project.tags ?? []).entries()) {
      if (!branches.has(ref ?? main) && !ids.has(ref ?? main))
        this.add(
          [...path, 'tags', index, ref === undefined ? 'name' : 'ref'],
          `There is no branch or commit "${ref ?? main}".`,
        )
      tags.add(name)
    }
    for (const [index, { tag, ref }] of (project.releases ?? []).entries())
      if (!tags.has(tag) && !branches.has(ref ?? '') && !ids.has(ref ?? ''))
        this.add(
          [...path, 'releases', index, 'tag'],
          `There is no tag "${tag}"; add it to tags, or add "ref".`,
        )
    for (const [index, { source, target }] of (project.merge_requests ?? []).entries()) {
      const at = [...path, 'merge_requests', index]
      if (!branches.has(source)) this.#branch(source, branches, [...at, 'source'])
      if (!branches.has(target ?? main))
        this.#branch(target ?? main, branches, [...at, target === undefined ? 'title' : 'target'])
    }
    for (const kind of ['pipelines', 'deployments'] as const)
      for (const [index, { ref }] of (project[kind] ?? []).entries())
        if (!branches.has(ref) && !tags.has(ref))
          this.#branch(ref, [...branches, ...tags], [...path, kind, index, 'ref'])
  }

  #branch(name: string, branches: Iterable<string>, path: Path): void {
    const near = nearest(name, [...branches])
    this.add(path, `There is no branch "${name}".${near ? ` Did you mean "${near}"?` : ''}`)
  }

  #authors(project: WorldProject, path: Path): void {
    for (const [index, issue] of (project.issues ?? []).entries()) {
      const at = [...path, 'issues', index]
      this.user(issue.author, [...at, 'author'])
      this.user(issue.closed_by, [...at, 'closed_by'])
      this.people(issue.assignees, [...at, 'assignees'])
      for (const [number, { author }] of (issue.notes ?? []).entries())
        this.user(author, [...at, 'notes', number, 'author'])
    }
    for (const [index, request] of (project.merge_requests ?? []).entries()) {
      const at = [...path, 'merge_requests', index]
      this.user(request.author, [...at, 'author'])
      this.#mayPush(request.author, project, [...at, 'author'])
      for (const key of ['merged_by', 'closed_by'] as const) this.user(request[key], [...at, key])
      for (const key of ['assignees', 'reviewers', 'approvals'] as const)
        this.people(request[key], [...at, key])
      for (const [number, discussion] of (request.discussions ?? []).entries()) {
        const threadPath = [...at, 'discussions', number]
        this.user(discussion.author, [...threadPath, 'author'])
        this.user(discussion.resolved_by, [...threadPath, 'resolved_by'])
        for (const [reply, { author }] of (discussion.replies ?? []).entries())
          this.user(author, [...threadPath, 'replies', reply, 'author'])
      }
    }
    for (const kind of ['tags', 'pipelines', 'deployments', 'releases', 'wiki'] as const)
      for (const [index, { author }] of (project[kind] ?? []).entries())
        this.user(author, [...path, kind, index, 'author'])
  }

  /** The author of a merge request must be able to push; checked if the world describes the members. */
  #mayPush(author: string | undefined, project: WorldProject, path: Path): void {
    if (author === undefined || !this.users.has(author) || this.existing.project(project.path)) return
    const user = this.world.users?.find(({ username }) => username === author)
    if (user?.admin || project.path.startsWith(`${author}/`)) return
    const levels = [project, ...this.above(project.path)].map(({ members }) => members?.[author])
    const isMember = levels.some(
      (level) => level !== undefined && ACCESS.indexOf(level) >= ACCESS.indexOf('developer'),
    )
    if (!isMember && !this.existing.user(author))
      this.add(
        path,
        `${author} cannot open a merge request here: add ${author} to members as developer or more.`,
      )
  }
}
