import type { Commit } from '../../../../git/read/commits.ts'
import type { Repo } from '../../../../git/types.ts'
import type { Tag } from '../../../../git/write/refs.ts'
import type { WorldProject } from '../model/schema.ts'
import type { Content } from './history.ts'
import type { Step } from './history-plan.ts'
import type { Authors } from './people.ts'
import type { Permissions } from './permissions.ts'
import { type Entry, list, type WorldWriter, time } from './world-writer.ts'
import type { YamlOutput } from './yaml-output.ts'
import { keyOf, type Yaml } from './yaml.ts'

type WorldBranch = NonNullable<WorldProject['branches']>[number]
type WorldTag = NonNullable<WorldProject['tags']>[number]

/** The data of the project that the text of its history needs. */
export interface ProjectOfHistory {
  readonly path: string
  readonly main: string
  readonly at: string | undefined
  readonly creator: string | undefined
  /** Titles of merge requests by IID, or the IID if another one has the title. */
  readonly requestNames: ReadonlyMap<number, string | number>
}

const FIRST_MESSAGE = 'Initial commit'

/** Writes the commits of a project, and records the name of each commit in the world. */
export class HistoryWriter {
  readonly #writer: WorldWriter
  readonly #authors: Authors
  readonly #content: Content
  readonly #project: ProjectOfHistory
  readonly #names = new Map<string, string>()

  /** `others` are commits that pipelines refer to. */
  constructor(
    writer: WorldWriter,
    content: Content,
    project: ProjectOfHistory,
    options: { authors: Authors; others: readonly string[] },
  ) {
    this.#writer = writer
    this.#authors = options.authors
    this.#content = content
    this.#project = project
    const referencedCommits = new Set(options.others)
    const origins = new Set(
      content.plan.steps.flatMap(({ from, parents = [] }) => (from === undefined ? parents : [from])),
    )
    for (const id of origins) referencedCommits.add(id)
    for (const { at } of content.plan.branches) referencedCommits.add(at)
    for (const { commit } of content.tags) if (commit !== null) referencedCommits.add(commit)
    const main = this.tip
    // The tip of the main branch needs a name only if later entries refer to it.
    const isNamed = (id: string) =>
      referencedCommits.has(id) && (id !== main || origins.has(id) || options.others.includes(id))
    const prefix = this.#prefix()
    for (const { id } of content.plan.steps)
      if (isNamed(id)) this.#names.set(id, `${prefix}${this.#names.size + 1}`)
  }

  /** The newest commit of the main branch. */
  get tip(): string | undefined {
    return this.#content.branches.get(this.#project.main)
  }

  /** A prefix with which names of commits differ from the names of all branches and tags. */
  #prefix(): string {
    const { plan, tags } = this.#content
    const usedNames = [...plan.names, ...tags.map(({ name }) => name)]
    let prefix = 'c'
    while (usedNames.some((name) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length))))
      prefix += '-'
    return prefix
  }

  /** The name of a commit in the world; undefined if it has none. */
  nameOf(id: string): string | undefined {
    return this.#names.get(id)
  }

  async write(output: YamlOutput, indent: string): Promise<void> {
    const { steps } = this.#content.plan
    const rest = (await this.#writeFirst(output, indent)) ? steps.slice(1) : steps
    if (rest.length > 0) output.open('commits:', indent)
    for (const step of rest) {
      if (output.isFull) return
      await this.#writeStep(output, step, `${indent}  `)
    }
    await output.list('branches', this.#branches(), indent)
  }

  /** Writes a first commit by the creator of the project as `files`, its short form. Returns false for any other commit. */
  async #writeFirst(output: YamlOutput, indent: string): Promise<boolean> {
    const [step] = this.#content.plan.steps
    const commit = step && this.#content.commits.get(step.id)
    if (!step || !commit || step.merge !== undefined || step.parents || this.#names.has(step.id)) return false
    const { main, at, creator } = this.#project
    const isFirst =
      step.branch === main &&
      commit.message.trim() === FIRST_MESSAGE &&
      creator !== undefined &&
      this.#authors.of(commit.author_name, commit.author_email) === creator &&
      at !== undefined &&
      seconds(commit.authored_date) === seconds(at)
    const files = isFirst ? await this.#filesOf(step.id) : undefined
    if (!files || files.size === 0) return false
    await this.#writeFiles(output, files, indent)
    return true
  }

  async #writeStep(output: YamlOutput, step: Step, indent: string): Promise<void> {
    const { id, branch, from, parents, merge } = step
    const { main, requestNames } = this.#project
    const common = { id: this.#names.get(id), branch: branch === main ? undefined : branch }
    if (merge !== undefined) return output.entry('-', { ...common, merge: requestNames.get(merge) }, indent)
    const commit = this.#content.commits.get(id)!
    if (hasOwnCommitter(commit))
      this.#writer.omissions.add(
        'committers who are not the author, or committed at another time',
        `${this.#project.path} ${id.slice(0, 8)}`,
      )
    const nameOf = (name: string) => this.#names.get(name)!
    const head = {
      ...common,
      from: from === undefined ? undefined : nameOf(from),
      parents: parents?.map(nameOf),
      message: commit.message,
      author: this.#authors.of(commit.author_name, commit.author_email),
      at: time(commit.authored_date),
    }
    const files = await this.#filesOf(id)
    if (files.size === 0) return output.entry('-', head, indent)
    output.begin(head, indent)
    await this.#writeFiles(output, files, `${indent}  `)
  }

  #filesOf(id: string) {
    const changes = this.#content.changes.get(id) ?? []
    return this.#content.files.of(changes, this.#writer.omissions, this.#project.path)
  }

  async #writeFiles(output: YamlOutput, files: ReadonlyMap<string, unknown>, indent: string): Promise<void> {
    output.open('files:', indent)
    for (const [path, file] of files) await output.entry(keyOf(path), file as Yaml, `${indent}  `)
  }

  #branches(): Entry<WorldBranch>[] {
    return this.#content.plan.branches.map(({ name, at }) => ({ name, ref: this.#refOf(at) }))
  }

  /** The name of a commit; undefined for the tip of the main branch, which is the default. */
  #refOf(id: string): string | undefined {
    return id === this.tip ? undefined : this.#names.get(id)
  }

  /** The tags of written commits. Tags of other commits are left out. */
  async tags(repo: Repo, permissions: Permissions): Promise<Entry<WorldTag>[]> {
    const entries: Entry<WorldTag>[] = []
    for (const tag of this.#content.tags) {
      const { name, commit, created_at } = tag
      if (commit === null || (commit !== this.tip && !this.#names.has(commit))) {
        this.#writer.omissions.add('tags of commits that are not here', `${this.#project.path} ${name}`)
        continue
      }
      const message = tag.message?.trim() ? tag.message : undefined
      const isPlain = message === undefined
      const author = isPlain ? undefined : await this.#taggerOf(repo, tag, permissions)
      entries.push({
        name,
        ref: this.#refOf(commit),
        message,
        author,
        at: isPlain ? undefined : time(created_at),
      })
    }
    return list(entries) ?? []
  }

  async #taggerOf(repo: Repo, { target }: Tag, permissions: Permissions): Promise<string | undefined> {
    const object = await repo.git.catFiles.contents(repo, target)
    const [, name = '', email = ''] =
      /^tagger (.*?) ?<(.*)> \d+ [+-]\d{4}$/m.exec(object?.content.toString('utf8') ?? '') ?? []
    const user = this.#authors.userOf(name, email)
    return user && permissions.mayPush(user.id) ? this.#writer.name(user.id) : undefined
  }
}

function hasOwnCommitter(commit: Commit): boolean {
  return (
    commit.author_name !== commit.committer_name ||
    commit.author_email !== commit.committer_email ||
    seconds(commit.authored_date) !== seconds(commit.committed_date)
  )
}

function seconds(at: string): number {
  return Math.floor(Date.parse(at) / 1000)
}
