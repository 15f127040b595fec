import { projectName } from '../messages/parts.ts'
import type { Occasion } from '../occasion.ts'
import { pusherOf, isBlank, shortRef, type PushPayload } from '../payload.ts'
import { projectUrl } from '../urls.ts'

/** What became of a branch or tag, in the words of a mail. */
export interface RefChange {
  readonly name: string
  readonly did: 'pushed to' | 'Pushed new branch' | 'Pushed new tag' | 'Deleted branch' | 'Deleted tag'
  readonly sentence: string
  readonly url: string
}

export function changeOf(occasion: Occasion, push: PushPayload): RefChange {
  const isTag = push.ref.startsWith('refs/tags/')
  const kind = isTag ? 'tag' : 'branch'
  const name = shortRef(push.ref)
  const place = `${kind} ${name} at ${projectName(occasion)}`
  const page = projectUrl(occasion)
  const path = name.split('/').map(encodeURIComponent).join('/')
  if (isBlank(push.after))
    return { name, did: `Deleted ${kind}`, sentence: `${pusherOf(push)} deleted ${place}`, url: page }
  if (isBlank(push.before)) {
    const url = `${page}/-/${isTag ? 'tags' : 'commits'}/${path}`
    return { name, did: `Pushed new ${kind}`, sentence: `${pusherOf(push)} pushed new ${place}`, url }
  }
  const url = `${page}/-/compare/${push.before}...${push.after}`
  return { name, did: 'pushed to', sentence: `${pusherOf(push)} pushed to ${place}`, url }
}
