import type { Delivery } from '../delivery.ts'
import { projectName } from '../messages/parts.ts'
import { isBlank, payloadOf, pusherOf, type PushPayload, shortRef } from '../payload.ts'
import { projectUrl } from '../urls.ts'

/** A push in plain words, for those who are told in no markup at all. */
export interface PushWords {
  /** `Ann pushed 2 commits to main` */
  readonly what: string
  readonly project: string
  readonly branch: string
  /** Where to look: what changed, or the branch. */
  readonly url: string
  readonly isRemoved: boolean
  readonly push: PushPayload
}

export function pushWords(delivery: Delivery): PushWords {
  const push = payloadOf<PushPayload>(delivery)
  const branch = shortRef(push.ref)
  const [isNew, isRemoved] = [isBlank(push.before), isBlank(push.after)]
  const page = projectUrl(delivery)
  const done = isRemoved
    ? `removed branch ${branch}`
    : isNew
      ? `pushed new branch ${branch}`
      : `pushed ${countOf(push.total_commits_count)} to ${branch}`
  const path = branch.split('/').map(encodeURIComponent).join('/')
  return {
    what: `${pusherOf(push)} ${done}`,
    project: projectName(delivery),
    branch,
    url: isRemoved
      ? page
      : isNew
        ? `${page}/-/commits/${path}`
        : `${page}/-/compare/${push.before}...${push.after}`,
    isRemoved,
    push,
  }
}

/** `1 commit`, `3 commits`. */
export function countOf(commits: number): string {
  return commits === 1 ? '1 commit' : `${commits} commits`
}
