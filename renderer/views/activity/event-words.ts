import type { Event } from '../../api/schema.gen.ts'
import { plural } from '../../composables/time.ts'

/** A part of a sentence; with `to` it leads somewhere inside the project. */
export type Piece = { text: string; to?: string; isRef?: boolean }
export type EventWords = {
  kind: 'push' | 'branch' | 'tag' | 'comment' | 'people' | 'other'
  /** What follows the name of who did it. */
  said: Piece[]
  /** The line below: a commit's title, a comment's first line. */
  detail: Piece | null
}

const refPiece = (ref: string, isGone: boolean): Piece =>
  isGone ? { text: ref, isRef: true } : { text: ref, isRef: true, to: `tree/${ref}` }

const pushed = (push: NonNullable<Event['push_data']>): EventWords => {
  const kind = push.action === 'pushed' ? 'push' : push.ref_type
  const thing = push.ref_type === 'tag' ? 'tag' : 'branch'
  if (push.ref === null) {
    const many = plural(push.ref_count ?? 0, thing, thing === 'branch' ? 'branches' : 'tags')
    return { kind, said: [{ text: `${push.action} ${many}` }], detail: null }
  }
  if (push.action === 'removed')
    return { kind, said: [{ text: `deleted the ${thing}` }, refPiece(push.ref, true)], detail: null }
  const verb = push.action === 'created' ? `created the ${thing}` : pushedWords(push.commit_count)
  const detail = push.commit_title ? { text: push.commit_title, to: newestPlace(push) } : null
  return { kind, said: [{ text: verb }, refPiece(push.ref, false)], detail }
}

const pushedWords = (count: number) => `pushed ${plural(count, 'commit')} to`

/** One commit is shown itself; of several, all that they change. */
const newestPlace = (push: NonNullable<Event['push_data']>) =>
  push.commit_count > 1 && push.commit_from && push.commit_to
    ? `compare/${push.commit_from}...${push.commit_to}`
    : `commit/${push.commit_to ?? ''}`

const commented = (event: Event): EventWords => {
  const { note } = event
  const detail = note ? { text: note.body.split('\n')[0] ?? '' } : null
  const sha = note?.noteable_type === 'Commit' ? note.commit_id : null
  if (!sha)
    return {
      kind: 'comment',
      said: [{ text: 'commented on' }, { text: event.target_title ?? 'something' }],
      detail,
    }
  const place: Piece = { text: sha.slice(0, 8), isRef: true, to: `commit/${sha}?show=comments` }
  return { kind: 'comment', said: [{ text: 'commented on the commit' }, place], detail }
}

const PEOPLE: Record<string, string> = {
  joined: 'joined the project',
  left: 'left the project',
  'removed due to membership expiration from': 'left the project, as the membership ended',
}

/** An event as a sentence about who did it. */
export const eventWords = (event: Event): EventWords => {
  if (event.push_data) return pushed(event.push_data)
  if (event.action_name === 'commented on') return commented(event)
  const people = PEOPLE[event.action_name]
  if (people) return { kind: 'people', said: [{ text: people }], detail: null }
  const target = event.target_type
    ? event.target_type.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
    : 'project'
  const said: Piece[] = [{ text: `${event.action_name} the ${target}` }]
  return { kind: 'other', said, detail: event.target_title ? { text: event.target_title } : null }
}
