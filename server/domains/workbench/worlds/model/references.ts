import type { Positions, Problem } from './document.ts'
import { checkNumbering, mergeProblem } from './numbering.ts'
import { ProblemCollector, type ExistingObjects, type Path } from './problem-collector.ts'
import { nearest } from './problems.ts'
import { ACCESS, type World, type WorldMergeRequest, type WorldProject } from './schema.ts'

/** Finds references to missing people, groups, labels, milestones, branches and commits, and duplicates. */
export function referenceProblems(world: World, existing: ExistingObjects, positions: Positions): Problem[] {
  return new ReferenceChecker(world, existing, positions).check()
}

const NO_FOLDER =
  'Only the command line reads folders of a computer: deskforge world apply FILE, or deskforge serve --world FILE.'

/** True if the project imports a repository. The world does not describe the history of such a project. */
function isImported({ git, folder }: WorldProject): boolean {
  return git !== undefined || folder !== undefined
}

class ReferenceChecker extends ProblemCollector {
  check(): Problem[] {
    const { users = [], groups = [], projects = [] } = this.world
    this.checkUnique(
      users.map(({ username }) => username),
      ['users'],
      'username',
      'user',
    )
    this.checkUnique(
      groups.map(({ path }) => path),
      ['groups'],
      'path',
      'group',
    )
    this.checkUnique(
      projects.map(({ path }) => path),
      ['projects'],
      'path',
      'project',
    )
    const tokens = users.flatMap((user, index) =>
      (user.tokens ?? []).map(({ token }, number) => ({
        token,
        path: ['users', index, 'tokens', number, 'token'],
      })),
    )
    const earlierTokens = new Set<string>()
    for (const { token, path } of tokens) {
      if (earlierTokens.has(token)) this.addProblem(path, 'Two tokens have the same text.')
      earlierTokens.add(token)
    }
    for (const [index, group] of groups.entries()) this.#checkGroup(group, ['groups', index])
    for (const [index, project] of projects.entries()) this.#checkProject(project, ['projects', index])
    return this.problems
  }

  #checkMembers(members: Readonly<Record<string, unknown>> | undefined, path: Path): void {
    for (const username of Object.keys(members ?? {}))
      this.checkUser(username, [...path, 'members', username], 'key')
  }

  #checkParent(fullPath: string, path: Path, isProject: boolean): void {
    const parts = fullPath.split('/')
    const problem = parts
      .map((part, index) => this.existing.pathProblem(part, index === 0))
      .find((message) => message)
    if (problem !== undefined)
      return this.addProblem(
        path,
        `The path "${fullPath}" ${/^[a-z]/.test(problem) ? '' : 'is wrong: '}${problem}.`,
      )
    const parent = parts.slice(0, -1).join('/')
    if (parent === '') {
      if (isProject) this.addProblem(path, `A project needs a group or user in front: "group/${fullPath}".`)
      return
    }
    if (this.groups.has(parent) || this.existing.group(parent)) return
    if (isProject && !parent.includes('/') && (this.users.has(parent) || this.existing.user(parent))) return
    const suggestion = nearest(parent, [...this.groups.keys(), ...(isProject ? this.users : [])])
    const noun = isProject ? 'group or user' : 'group'
    this.addProblem(
      path,
      `There is no ${noun} "${parent}".${suggestion ? ` Did you mean "${suggestion}"?` : ' Add it to groups.'}`,
    )
  }

  #checkGroup(group: NonNullable<World['groups']>[number], path: Path): void {
    this.#checkParent(group.path, [...path, 'path'], false)
    this.#checkMembers(group.members, path)
    this.#checkVisibility(group, path)
    this.checkUnique(
      (group.labels ?? []).map(({ name }) => name),
      [...path, 'labels'],
      'name',
      'label',
    )
    this.checkUnique(
      (group.milestones ?? []).map(({ title }) => title),
      [...path, 'milestones'],
      'title',
      'milestone',
    )
  }

  #checkVisibility(
    { path: fullPath, visibility }: { path: string; visibility?: string | undefined },
    path: Path,
  ): void {
    const levels = ['private', 'internal', 'public']
    for (const group of this.groupsAbove(fullPath)) {
      if (levels.indexOf(visibility ?? 'private') <= levels.indexOf(group.visibility ?? 'private')) continue
      this.addProblem(
        [...path, 'visibility'],
        `It cannot be ${visibility} in the group ${group.path}, which is ${group.visibility ?? 'private'}.`,
      )
      return
    }
  }

  #checkProject(project: WorldProject, path: Path): void {
    this.#checkParent(project.path, [...path, 'path'], true)
    this.#checkMembers(project.members, path)
    this.#checkVisibility(project, path)
    this.checkUser(project.creator, [...path, 'creator'])
    this.checkUsers(project.stars, [...path, 'stars'])
    const sources = (['git', 'folder', 'files'] as const).filter((key) => project[key] !== undefined)
    if (sources.length > 1)
      this.addProblem([...path, sources[1]!], `A project has either ${sources.join(' or ')}.`)
    if (isImported(project) && project.commits)
      this.addProblem([...path, 'commits'], 'A project that is imported has no commits of its own here.')
    if (project.folder !== undefined && !this.existing.hasFolder(project.path))
      this.addProblem([...path, 'folder'], NO_FOLDER)
    this.checkUnique(
      (project.labels ?? []).map(({ name }) => name),
      [...path, 'labels'],
      'name',
      'label',
    )
    checkNumbering(this, project, path)
    this.#checkPlanning(project, path)
    this.#checkHistory(project, path)
    this.#checkAuthors(project, path)
  }

  #checkPlanning(project: WorldProject, path: Path): void {
    const groups = this.groupsAbove(project.path)
    const labels = new Set([
      ...(project.labels ?? []).map(({ name }) => name),
      ...groups.flatMap((group) => (group.labels ?? []).map(({ name }) => name)),
    ])
    const milestones = new Set([
      ...(project.milestones ?? []).map(({ title }) => title),
      ...groups.flatMap((group) => (group.milestones ?? []).map(({ title }) => title)),
    ])
    const ownNames = { labels, milestones }
    for (const kind of ['issues', 'merge_requests'] as const) {
      for (const [index, entry] of (project[kind] ?? []).entries()) {
        const entryPath = [...path, kind, index]
        for (const [number, name] of (entry.labels ?? []).entries())
          this.#checkTitle(name, 'labels', project.path, ownNames.labels, [...entryPath, 'labels', number])
        if (entry.milestone !== undefined)
          this.#checkTitle(entry.milestone, 'milestones', project.path, ownNames.milestones, [
            ...entryPath,
            'milestone',
          ])
      }
    }
    for (const [index, { milestones: names }] of (project.releases ?? []).entries())
      for (const [number, title] of (names ?? []).entries())
        this.#checkTitle(title, 'milestones', project.path, ownNames.milestones, [
          ...path,
          'releases',
          index,
          'milestones',
          number,
        ])
  }

  #checkTitle(
    title: string,
    kind: 'labels' | 'milestones',
    project: string,
    titles: ReadonlySet<string>,
    path: Path,
  ): void {
    if (titles.has(title) || this.existing[kind](project).has(title)) return
    const suggestion = nearest(title, [...titles])
    const noun = kind === 'labels' ? 'label' : 'milestone'
    const hint = suggestion
      ? `Did you mean "${suggestion}"?`
      : `Add it to ${kind} of the project or its group.`
    this.addProblem(path, `There is no ${noun} "${title}" here. ${hint}`)
  }

  #checkHistory(project: WorldProject, path: Path): void {
    if (isImported(project) || this.existing.project(project.path)) return
    const main = project.default_branch ?? 'main'
    const ids = new Set<string>()
    const branches = new Set<string>(project.files ? [main] : [])
    for (const [index, commit] of (project.commits ?? []).entries()) {
      const entryPath = [...path, 'commits', index]
      const isName = (name: string) => ids.has(name) || branches.has(name)
      if (commit.merge !== undefined) {
        const problem = mergeProblem(project, commit.merge)
        if (problem !== undefined) this.addProblem([...entryPath, 'merge'], problem)
        if (commit.id) ids.add(commit.id)
        continue
      }
      if (commit.message === undefined)
        this.addProblem([...entryPath, 'message'], 'A commit needs a message.')
      if (commit.from && !isName(commit.from))
        this.addProblem([...entryPath, 'from'], `No branch or commit before this is called "${commit.from}".`)
      for (const [number, parent] of (commit.parents ?? []).entries())
        if (!isName(parent))
          this.addProblem([...entryPath, 'parents', number], `No commit before this is called "${parent}".`)
      if (commit.author && !/<.+>$/.test(commit.author))
        this.checkUser(commit.author, [...entryPath, 'author'])
      const branch = commit.branch ?? main
      const isFirst = branches.size === 0 && ids.size === 0
      if (!branches.has(branch) && !isFirst && !commit.from && !commit.parents && !branches.has(main))
        this.addProblem([...entryPath, 'branch'], `The branch "${branch}" has no start; add "from".`)
      branches.add(branch)
      if (commit.id) ids.add(commit.id)
    }
    for (const [index, { name, ref }] of (project.branches ?? []).entries()) {
      if (!branches.has(ref ?? main) && !ids.has(ref ?? main))
        this.addProblem(
          [...path, 'branches', index, ref === undefined ? 'name' : 'ref'],
          `There is no branch or commit "${ref ?? main}".`,
        )
      branches.add(name)
    }
    const tags = new Set<string>()
    for (const [index, { name, ref }] of (project.tags ?? []).entries()) {
      if (!branches.has(ref ?? main) && !ids.has(ref ?? main))
        this.addProblem(
          [...path, 'tags', index, ref === undefined ? 'name' : 'ref'],
          `There is no branch or commit "${ref ?? main}".`,
        )
      tags.add(name)
    }
    for (const [index, { tag, ref }] of (project.releases ?? []).entries())
      if (!tags.has(tag) && !branches.has(ref ?? '') && !ids.has(ref ?? ''))
        this.addProblem(
          [...path, 'releases', index, 'tag'],
          `There is no tag "${tag}"; add it to tags, or add "ref".`,
        )
    for (const [index, { source, target }] of (project.merge_requests ?? []).entries()) {
      const entryPath = [...path, 'merge_requests', index]
      if (!branches.has(source)) this.#addMissingBranch(source, branches, [...entryPath, 'source'])
      if (!branches.has(target ?? main))
        this.#addMissingBranch(target ?? main, branches, [
          ...entryPath,
          target === undefined ? 'title' : 'target',
        ])
    }
    for (const kind of ['pipelines', 'deployments'] as const)
      for (const [index, { ref }] of (project[kind] ?? []).entries())
        if (!branches.has(ref) && !tags.has(ref))
          this.#addMissingBranch(ref, [...branches, ...tags], [...path, kind, index, 'ref'])
  }

  #addMissingBranch(name: string, branches: Iterable<string>, path: Path): void {
    const suggestion = nearest(name, [...branches])
    this.addProblem(
      path,
      `There is no branch "${name}".${suggestion ? ` Did you mean "${suggestion}"?` : ''}`,
    )
  }

  #checkAuthors(project: WorldProject, path: Path): void {
    for (const [index, issue] of (project.issues ?? []).entries()) {
      const entryPath = [...path, 'issues', index]
      this.checkUser(issue.author, [...entryPath, 'author'])
      this.checkUser(issue.closed_by, [...entryPath, 'closed_by'])
      this.checkUsers(issue.assignees, [...entryPath, 'assignees'])
      this.#checkCommentAuthors(issue, entryPath)
    }
    for (const [index, request] of (project.merge_requests ?? []).entries()) {
      const entryPath = [...path, 'merge_requests', index]
      this.checkUser(request.author, [...entryPath, 'author'])
      this.#checkPushAccess(request.author, project, [...entryPath, 'author'])
      for (const key of ['merged_by', 'closed_by'] as const) this.checkUser(request[key], [...entryPath, key])
      for (const key of ['assignees', 'reviewers', 'approvals'] as const)
        this.checkUsers(request[key], [...entryPath, key])
      this.#checkCommentAuthors(request, entryPath)
    }
    for (const kind of ['tags', 'pipelines', 'deployments', 'releases', 'wiki'] as const)
      for (const [index, { author }] of (project[kind] ?? []).entries())
        this.checkUser(author, [...path, kind, index, 'author'])
  }

  #checkCommentAuthors(
    { notes = [], discussions = [] }: Pick<WorldMergeRequest, 'notes' | 'discussions'>,
    path: Path,
  ): void {
    for (const [index, { author }] of notes.entries())
      this.checkUser(author, [...path, 'notes', index, 'author'])
    for (const [index, discussion] of discussions.entries()) {
      const threadPath = [...path, 'discussions', index]
      this.checkUser(discussion.author, [...threadPath, 'author'])
      this.checkUser(discussion.resolved_by, [...threadPath, 'resolved_by'])
      for (const [reply, { author }] of (discussion.replies ?? []).entries())
        this.checkUser(author, [...threadPath, 'replies', reply, 'author'])
    }
  }

  /** The author of a merge request must be able to push. The check is possible only if the world describes the members. */
  #checkPushAccess(author: string | undefined, project: WorldProject, path: Path): void {
    if (author === undefined || !this.users.has(author) || this.existing.project(project.path)) return
    const user = this.world.users?.find(({ username }) => username === author)
    if (user?.admin || project.path.startsWith(`${author}/`)) return
    const levels = [project, ...this.groupsAbove(project.path)].map(({ members }) => members?.[author])
    const isMember = levels.some(
      (level) => level !== undefined && ACCESS.indexOf(level) >= ACCESS.indexOf('developer'),
    )
    if (!isMember && !this.existing.user(author))
      this.addProblem(
        path,
        `${author} cannot open a merge request here: add ${author} to members as developer or more.`,
      )
  }
}
