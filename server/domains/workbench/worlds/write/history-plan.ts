import { TimeSlices } from '../../../../lib/time-slices.ts'

/** The data of a merge request that the history of its project needs. Commits are full ids. */
export interface PlannedRequest {
  readonly iid: number
  readonly source: string
  readonly target: string
  readonly state: 'opened' | 'closed' | 'merged'
  readonly head: string | null
  /** The commit at which the source branch diverged from the target branch. */
  readonly base: string | null
  readonly merge: string | null
  readonly squash: string | null
  /** Whether merging again gives the same files. */
  readonly isExact: boolean
}

export interface History {
  /** Parents by commit. */
  readonly commits: ReadonlyMap<string, readonly string[]>
  readonly main: string
  readonly branches: ReadonlyMap<string, string>
  readonly requests: readonly PlannedRequest[]
  /** Whether merging needs a source branch that is ahead of the target branch. */
  readonly needsAhead: boolean
}

/** A commit, or a merge of a request, in the order in which a world creates them. */
export interface Step {
  readonly id: string
  readonly branch: string
  /** The start of a new branch. */
  readonly from?: string
  readonly parents?: readonly string[]
  readonly merge?: number
}

export interface Plan {
  readonly steps: readonly Step[]
  /** Branches that no step creates, with their tips. */
  readonly branches: readonly { name: string; at: string }[]
  /** Branches with a tip after the steps that differs from the real one. */
  readonly moved: readonly string[]
  /** Numbers of the merge requests in the order in which they are opened. */
  readonly order: readonly number[]
  /** Merge requests that are merged by a step, and those of them that remove their source branch. */
  readonly merged: ReadonlySet<number>
  readonly removing: ReadonlySet<number>
  /** The names of all branches that exist at any time during the steps. */
  readonly names: ReadonlySet<string>
}

/** The maximum number of commits that are searched to decide whether a branch can be created. */
const FAR = 5000

/**
 * Orders the commits of a project for a world. The order depends only on the commits, so that the same history always
 * results in the same text: branch by branch along first parents, merged commits before their merge, and merges as part
 * of their merge requests.
 */
export async function planHistory(history: History): Promise<Plan> {
  return new Planner(history).plan()
}

class Planner {
  readonly #history: History
  readonly #slices = new TimeSlices()
  /** The branches at the end of the history, and deleted source branches of closed merge requests. */
  readonly #ends: Map<string, string>
  readonly #requests: readonly PlannedRequest[]
  readonly #merges = new Map<string, PlannedRequest>()
  readonly #forwards = new Map<string, PlannedRequest>()
  readonly #heads = new Map<string, PlannedRequest[]>()
  /**
   * Commits of the main branch and of branches that are being written: no other branch writes them ahead of their time.
   */
  readonly #reserved = new Set<string>()
  readonly #mergedKeys: ReadonlySet<string>
  readonly #steps: Step[] = []
  readonly #done = new Set<string>()
  readonly #tips = new Map<string, string>()
  readonly #names = new Set<string>()
  /** Numbers of opened requests, in this order. */
  readonly #order = new Set<number>()
  readonly #open = new Map<string, number>()
  readonly #merged = new Set<number>()
  /** The last request that was merged from a branch. */
  readonly #lastOf = new Map<string, PlannedRequest>()
  readonly #removing = new Set<number>()

  constructor(history: History) {
    this.#history = history
    const { commits, branches, requests } = history
    this.#requests = requests.toSorted((a, b) => a.iid - b.iid)
    this.#mergedKeys = new Set(requests.filter(({ state }) => state === 'merged').map(keyOf))
    this.#ends = new Map([...branches].filter(([, tip]) => commits.has(tip)))
    for (const { source, state, head } of this.#requests)
      if (state !== 'merged' && !branches.has(source) && head && commits.has(head))
        this.#ends.set(source, head)
    for (const request of this.#requests)
      if (request.state === 'merged' && request.isExact) this.#expect(request)
    for (let at = this.#ends.get(history.main); at; at = commits.get(at)?.[0]) this.#reserved.add(at)
  }

  #expect(request: PlannedRequest): void {
    const { head, merge, squash } = request
    if (head === null || !this.#history.commits.has(head)) return
    const parents = merge === null ? undefined : this.#history.commits.get(merge)
    if (merge !== null && parents?.length === 2 && (parents[1] === head || parents[1] === squash))
      this.#merges.set(merge, request)
    else if (squash !== null && this.#history.commits.has(squash)) this.#merges.set(squash, request)
    else if (squash === null && (merge === null || merge === head) && !this.#forwards.has(head))
      this.#forwards.set(head, request)
    const siblings = this.#heads.get(head)
    if (siblings) siblings.push(request)
    else this.#heads.set(head, [request])
  }

  async plan(): Promise<Plan> {
    const { main } = this.#history
    const names = [...this.#ends.keys()].sort()
    for (const name of [main, ...names.filter((entry) => entry !== main)]) {
      const tip = this.#ends.get(name)
      if (tip !== undefined && this.#tips.get(name) !== tip && !this.#done.has(tip))
        await this.#chain(name, tip)
    }
    const { extra, moved } = this.#rest(names)
    for (const { iid } of this.#requests) this.#order.add(iid)
    return {
      steps: this.#steps,
      branches: extra,
      moved,
      order: [...this.#order],
      merged: this.#merged,
      removing: this.#removing,
      names: this.#names,
    }
  }

  /**
   * Branches with a tip that differs from their last step. A branch can take the name of a source branch that a merge
   * removes.
   */
  #rest(names: readonly string[]) {
    const extra: { name: string; at: string }[] = []
    const moved: string[] = []
    for (const name of names) {
      const [now, at] = [this.#tips.get(name), this.#history.branches.get(name)]
      if (at === undefined || now === at) continue
      const last = this.#lastOf.get(name)
      if (now === undefined || (last?.head === now && name !== this.#history.main)) {
        if (now !== undefined) this.#removing.add(last!.iid)
        extra.push({ name, at })
        this.#names.add(name)
      } else moved.push(name)
    }
    return { extra, moved }
  }

  /** Writes a branch up to a commit, along first parents. */
  async #chain(branch: string, tip: string): Promise<void> {
    const { commits } = this.#history
    const line: string[] = []
    for (
      let at: string | undefined = tip;
      at && commits.has(at) && !this.#done.has(at);
      at = commits.get(at)![0]
    )
      line.push(at)
    line.reverse()
    for (const id of line) this.#reserved.add(id)
    const { owners, ends } = this.#forwarded(branch, line)
    for (const id of line) {
      if (this.#done.has(id)) continue
      await this.#write(owners.get(id) ?? branch, id)
      const plannedRequest = ends.get(id)
      if (plannedRequest) await this.#merge(plannedRequest, id, plannedRequest.base)
    }
  }

  /** Commits of a branch that came by a merge without a merge commit belong to the source branch first. */
  #forwarded(branch: string, line: readonly string[]) {
    const owners = new Map<string, string>()
    const ends = new Map<string, PlannedRequest>()
    let free = 0
    for (const [index, id] of line.entries()) {
      const plannedRequest = this.#forwards.get(id)
      if (
        !plannedRequest ||
        plannedRequest.target !== branch ||
        plannedRequest.source === branch ||
        plannedRequest.base === null
      )
        continue
      const begin = line.indexOf(plannedRequest.base) + 1
      const isAtTip = begin === 0 && this.#tips.get(branch) === plannedRequest.base
      if ((begin === 0 && !isAtTip) || begin < free) continue
      for (const inside of line.slice(begin, index + 1)) owners.set(inside, plannedRequest.source)
      ends.set(id, plannedRequest)
      free = index + 1
    }
    return { owners, ends }
  }

  async #write(branch: string, id: string): Promise<void> {
    if (this.#slices.isOver()) await this.#slices.next()
    const parents = this.#history.commits.get(id)!
    const plannedRequest = this.#merges.get(id)
    if (plannedRequest?.target === branch && this.#canMerge(plannedRequest, parents)) {
      if (!this.#done.has(plannedRequest.head!))
        await this.#chain(plannedRequest.source, plannedRequest.head!)
      if (await this.#merge(plannedRequest, id, parents[0]!)) return
    }
    for (const parent of parents.slice(1))
      if (this.#history.commits.has(parent) && !this.#done.has(parent)) await this.#chain(branch, parent)
    this.#commit(branch, id)
    await this.#deliver(branch, id)
  }

  #canMerge({ head, source, target, squash }: PlannedRequest, [base]: readonly string[]): boolean {
    if (source === target || base === undefined || this.#tips.get(target) !== base) return false
    // Squashed commits are in the history of no other commit, so they may come later.
    if (squash !== null && !this.#done.has(head!) && !this.#isReady(head!)) return false
    if (this.#done.has(head!) && this.#tips.get(source) !== head) return false
    return !this.#history.needsAhead || this.#isAncestorOf(base, head!)
  }

  #isAncestorOf(old: string, tip: string): boolean {
    return (
      this.#search(
        tip,
        (id) => id === old,
        () => true,
      ) !== undefined
    )
  }

  /** Finds the first wanted commit in the history of a commit. `walk` selects the commits to search. */
  #search(
    tip: string,
    isWanted: (id: string) => boolean,
    mayWalk: (id: string) => boolean,
  ): string | undefined {
    const seen = new Set([tip])
    // The set grows while it is walked.
    for (const id of seen) {
      if (isWanted(id) || seen.size > FAR) return id
      for (const before of this.#before(id)) if (mayWalk(before)) seen.add(before)
    }
    return undefined
  }

  /** The commits that are written before a commit: its parents, and the commits that were squashed into it. */
  #before(id: string): readonly string[] {
    const parents = this.#history.commits.get(id) ?? []
    const plannedRequest = this.#merges.get(id)
    return plannedRequest?.squash ? [...parents, plannedRequest.head!] : parents
  }

  /** Whether a commit can be written now, without those of the main branch that are not written yet. */
  #isReady(tip: string): boolean {
    const isUndone = (id: string) => !this.#done.has(id)
    return (
      isUndone(tip) &&
      this.#search(tip, (id) => this.#reserved.has(id) && isUndone(id), isUndone) === undefined
    )
  }

  #commit(branch: string, id: string): void {
    const parents = this.#history.commits.get(id)!.filter((parent) => this.#history.commits.has(parent))
    const [first] = parents
    const tip = this.#tips.get(branch)
    const isNew = tip === undefined
    const isPlain =
      parents.length === 1 && (isNew ? first === this.#tips.get(this.#history.main) : first === tip)
    const isFirst = parents.length === 0 && this.#steps.length === 0
    const origin = isPlain || isFirst ? {} : parents.length === 1 && isNew ? { from: first! } : { parents }
    this.#steps.push({ id, branch, ...origin })
    this.#done.add(id)
    this.#tips.set(branch, id)
    this.#names.add(branch)
  }

  /** Merges a request, unless its branches have moved in the meantime. */
  async #merge(request: PlannedRequest, id: string, base: string | null): Promise<boolean> {
    const { iid, source, target, head, squash } = request
    await this.#openEarlier(request)
    if (this.#merged.has(iid)) return true
    if (this.#tips.get(source) !== head || this.#tips.get(target) !== base) return false
    this.#order.add(iid)
    this.#steps.push({ id, branch: target, merge: iid })
    this.#done.add(id)
    if (squash !== null) this.#done.add(squash)
    this.#tips.set(target, id)
    this.#merged.add(iid)
    this.#lastOf.set(source, request)
    this.#open.delete(keyOf(request))
    if (!this.#ends.has(source)) {
      this.#tips.delete(source)
      this.#removing.add(iid)
    }
    await this.#deliver(target, id)
    return true
  }

  /** Merges of this commit into branches other than the main one come next, while its branch still points to it. */
  async #deliver(branch: string, id: string): Promise<void> {
    for (const { source, target, merge } of this.#heads.get(id) ?? [])
      if (source === branch && target !== this.#history.main && merge && this.#isReady(merge))
        await this.#chain(target, merge)
  }

  /** When a request is merged, those with lower numbers are open, as far as their branches can be there. */
  async #openEarlier({ iid }: PlannedRequest): Promise<void> {
    for (const request of this.#requests) {
      if (request.iid >= iid) return
      if (this.#order.has(request.iid)) continue
      const isReplaced = request.state !== 'merged' && this.#mergedKeys.has(keyOf(request))
      if (isReplaced || this.#open.has(keyOf(request))) continue
      const tip = request.state === 'merged' ? request.head : this.#ends.get(request.source)
      if (!this.#tips.has(request.source) && tip && this.#history.commits.has(tip) && this.#isReady(tip))
        await this.#chain(request.source, tip)
      // The commit that was just written may allow it.
      if (!this.#tips.has(request.source) || !this.#tips.has(request.target) || this.#order.has(request.iid))
        continue
      this.#order.add(request.iid)
      this.#open.set(keyOf(request), request.iid)
    }
  }
}

function keyOf({ source, target }: PlannedRequest): string {
  return `${source}\0${target}`
}
