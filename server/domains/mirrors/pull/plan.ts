/** The branches and tags of both repositories, by short names, and the settings of the mirror. */
export interface PullInput {
  readonly upstream: {
    readonly branches: ReadonlyMap<string, string>
    readonly tags: ReadonlyMap<string, string>
  }
  readonly local: {
    readonly branches: ReadonlyMap<string, string>
    readonly tags: ReadonlyMap<string, string>
  }
  readonly defaultBranch: string
  /** Whether diverged branches are overwritten. */
  readonly overwrites: boolean
  /** Whether the first commit is part of the history of the second. */
  readonly isAncestor: (commit: string, tip: string) => Promise<boolean>
}

/** The ref changes of an update. */
export interface PullPlan {
  readonly changes: { ref: string; old: string | null; new: string }[]
  /** Diverged branches that stay as they are. */
  readonly diverged: string[]
  /** Why the update is incomplete, in sentences. */
  readonly problems: string[]
}

/**
 * Plans which branches and tags to move. Branches that upstream deleted stay, and so do branches with local commits
 * (spec administration 5.3).
 */
export async function planPull(input: PullInput): Promise<PullPlan> {
  const plan: PullPlan = { changes: [], diverged: [], problems: [] }
  const names = new Set(input.local.branches.keys())
  for (const [name, there] of input.upstream.branches) {
    const here = input.local.branches.get(name) ?? null
    if (here === there) continue
    const way = here === null ? 'forward' : await wayOf(input, here, there)
    if (way === 'ahead' && !input.overwrites) continue
    if (way === 'diverged' && !input.overwrites) leave(input, plan, name)
    else if (here === null && isInTheWay(names, name))
      plan.problems.push(`The branch ${name} cannot be made: another branch stands in the way of its name.`)
    else plan.changes.push({ ref: `refs/heads/${name}`, old: here, new: there })
    names.add(name)
  }
  addTags(input, plan)
  return plan
}

async function wayOf({ isAncestor }: PullInput, here: string, there: string) {
  if (await isAncestor(here, there)) return 'forward'
  return (await isAncestor(there, here)) ? 'ahead' : 'diverged'
}

function leave({ defaultBranch }: PullInput, plan: PullPlan, name: string): void {
  plan.diverged.push(name)
  if (name !== defaultBranch) return
  plan.problems.push(
    `The default branch (${name}) has diverged from its upstream counterpart and could not be updated automatically.`,
  )
}

function addTags({ upstream, local }: PullInput, plan: PullPlan): void {
  const names = new Set(local.tags.keys())
  for (const [name, there] of upstream.tags) {
    const here = local.tags.get(name) ?? null
    if (here === there) continue
    if (here === null && isInTheWay(names, name))
      plan.problems.push(`The tag ${name} cannot be made: another tag stands in the way of its name.`)
    else plan.changes.push({ ref: `refs/tags/${name}`, old: here, new: there })
    names.add(name)
  }
}

/** Whether a name conflicts with others: `a` and `a/b` cannot both exist. */
function isInTheWay(names: ReadonlySet<string>, name: string): boolean {
  const parts = name.split('/')
  if (parts.some((_, index) => index > 0 && names.has(parts.slice(0, index).join('/')))) return true
  const folder = `${name}/`
  for (const other of names) if (other.startsWith(folder)) return true
  return false
}
