import type { Event } from '../../api/schema.gen.ts'
import { firstLine } from '../../components/markdown/first-line.ts'
import { encodePath } from '../../composables/paths.ts'
import { t } from '../../locales/t.ts'

/** A part of a sentence; `to` is a link inside the project. */
export type Piece = { text: string; to?: string; isRef?: boolean }
export type EventWords = {
  kind: 'push' | 'branch' | 'tag' | 'comment' | 'people' | 'issue' | 'request' | 'milestone' | 'other'
  /** What follows the name of who did it. */
  said: Piece[]
  /** The line below: a commit's title, a comment's first line. */
  detail: Piece | null
}

/** The actions of events, as the API names them, in the language of the window. */
const ACTIONS: Record<string, string> = {
  accepted: t('activity.merged'),
  approved: t('activity.approved'),
  closed: t('activity.closed'),
  created: t('activity.created'),
  deleted: t('activity.deleted'),
  destroyed: t('activity.deleted_2'),
  opened: t('activity.opened'),
  pushed: t('activity.pushed'),
  removed: t('activity.removed'),
  reopened: t('activity.reopened'),
  updated: t('activity.updated'),
}
const actionWord = (action: string): string => ACTIONS[action] ?? action

const refPiece = (ref: string, isGone: boolean): Piece =>
  isGone ? { text: ref, isRef: true } : { text: ref, isRef: true, to: `tree/${ref}` }

const pushed = (push: NonNullable<Event['push_data']>): EventWords => {
  const kind = push.action === 'pushed' ? 'push' : push.ref_type
  const isTag = push.ref_type === 'tag'
  if (push.ref === null) {
    const count = push.ref_count ?? 0
    const refs = isTag ? t('count.tags', { count }) : t('count.branches', { count })
    return { kind, said: [{ text: `${actionWord(push.action)} ${refs}` }], detail: null }
  }
  if (push.action === 'removed')
    return {
      kind,
      said: [
        { text: isTag ? t('activity.deleted_the_tag') : t('activity.deleted_the_branch') },
        refPiece(push.ref, true),
      ],
      detail: null,
    }
  const verb =
    push.action === 'created'
      ? isTag
        ? t('activity.created_the_tag')
        : t('activity.created_the_branch')
      : pushedWords(push.commit_count)
  const detail = push.commit_title ? { text: push.commit_title, to: newestPath(push) } : null
  return { kind, said: [{ text: verb }, refPiece(push.ref, false)], detail }
}

const pushedWords = (count: number) =>
  t('activity.pushed_commits_to', { commits: t('count.commits', { count }) })

/** One commit is shown itself; of several, all that they change. */
const newestPath = (push: NonNullable<Event['push_data']>) =>
  push.commit_count > 1 && push.commit_from && push.commit_to
    ? `compare/${push.commit_from}...${push.commit_to}`
    : `commit/${push.commit_to ?? ''}`

/** Records with a number in the project: their prefix, page and icon. */
const NUMBERED: Record<string, { mark: string; page: string; kind: EventWords['kind'] }> = {
  Issue: { mark: '#', page: 'issues', kind: 'issue' },
  MergeRequest: { mark: '!', page: 'merge_requests', kind: 'request' },
}

const commented = (event: Event): EventWords => {
  const { note } = event
  const line = note ? firstLine(note.body) : ''
  const under = NUMBERED[note?.noteable_type ?? '']
  if (note && under && note.noteable_iid !== null) {
    const to = `${under.page}/${note.noteable_iid}#note_${note.id}`
    const piece = { text: `${under.mark}${note.noteable_iid}`, to }
    return {
      kind: 'comment',
      said: [{ text: t('activity.commented_on') }, piece],
      detail: { text: line, to },
    }
  }
  const detail = note ? { text: line } : null
  const sha = note?.noteable_type === 'Commit' ? note.commit_id : null
  if (!sha)
    return {
      kind: 'comment',
      said: [{ text: t('activity.commented_on') }, { text: event.target_title ?? t('activity.something') }],
      detail,
    }
  const piece: Piece = { text: sha.slice(0, 8), isRef: true, to: `commit/${sha}?show=comments` }
  return { kind: 'comment', said: [{ text: t('activity.commented_on_the_commit') }, piece], detail }
}

/** The actions on an issue, a merge request or a milestone. */
const planned = (event: Event): EventWords | null => {
  const verb = actionWord(event.action_name)
  if (event.target_type === 'Milestone') {
    const to = event.target_iid === null ? {} : { to: `milestones/${event.target_iid}` }
    const title = { text: event.target_title ?? '', ...to }
    const said = [{ text: t('activity.action_the_milestone', { action: verb }) }, title]
    return { kind: 'milestone', said, detail: null }
  }
  const of = NUMBERED[event.target_type ?? '']
  if (!of || event.target_iid == null) return null
  const to = `${of.page}/${event.target_iid}`
  const said = [{ text: verb }, { text: `${of.mark}${event.target_iid}`, to }]
  return { kind: of.kind, said, detail: event.target_title ? { text: event.target_title, to } : null }
}

/** A wiki page; a deleted page has no link. */
const ofWiki = (event: Event): EventWords | null => {
  const page = event.wiki_page
  if (!page) return null
  const isGone = event.action_name === 'deleted'
  const piece = { text: page.title, ...(isGone ? {} : { to: `wikis/${page.slug}` }) }
  return {
    kind: 'other',
    said: [{ text: t('activity.action_the_wiki_page', { action: actionWord(event.action_name) }) }, piece],
    detail: null,
  }
}

/** The link of a part, inside the project at `base`. */
export const pieceUrl = (base: string, to: string): string => {
  // The name of a branch may hold a #.
  const [, path = '', tail = ''] = /^([^?]*?)(\?.*|#note_\d+)?$/s.exec(to) ?? []
  return `${base}/-/${encodePath(path)}${tail}`
}

/** Memberships. An event without a project is about a group, which it does not name. */
const PEOPLE: Record<string, { project: string; group: string }> = {
  joined: { project: t('activity.joined_the_project'), group: t('activity.joined_a_group') },
  left: { project: t('activity.left_the_project'), group: t('activity.left_a_group') },
  'removed due to membership expiration from': {
    project: t('activity.was_removed_due_to_membership'),
    group: t('activity.was_removed_from_a_group_due_to'),
  },
}

/** An event as a sentence about who did it. */
export const eventWords = (event: Event): EventWords => {
  if (event.push_data) return pushed(event.push_data)
  if (event.action_name === 'commented on') return commented(event)
  const about = planned(event) ?? ofWiki(event)
  if (about) return about
  const people = PEOPLE[event.action_name]
  if (people)
    return {
      kind: 'people',
      said: [{ text: event.project_id === null ? people.group : people.project }],
      detail: null,
    }
  const target = event.target_type
    ? event.target_type.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
    : t('activity.project')
  const said: Piece[] = [
    { text: t('activity.action_the_target', { action: actionWord(event.action_name), target }) },
  ]
  return { kind: 'other', said, detail: event.target_title ? { text: event.target_title } : null }
}
