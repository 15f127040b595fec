import { computed, shallowRef } from 'vue'
import { api, type Item } from '../../../api/client.ts'
import { useAction } from '../../../api/useAction.ts'
import type { DiffFile, DiffLine } from '../../../components/diff/diff-model.ts'
import { lineId } from '../../../components/diff/diff-rows.ts'
import { useAbility } from '../../../composables/useAbility.ts'
import { useProject } from '../../../composables/useProject.ts'
import { useSession } from '../../../stores/session.ts'
import { useAll } from '../../../api/useAll.ts'
import { commentsByLine, positionOf, type LinePosition } from './comments.ts'
import { t } from '../../../locales/t.ts'

const ENDPOINT = 'GET /projects/:id/repository/commits/:sha/comments'
const MAX_PAGES = 10
export type CommitComment = Item<typeof ENDPOINT>

/** The comments on a commit and its lines, and functions to add comments. */
export const useCommitComments = (sha: () => string | null, files: () => readonly DiffFile[]) => {
  const project = useProject()
  const session = useSession()
  const { can } = useAbility()
  const list = useAll(ENDPOINT, () => (sha() ? { id: project.value.id, sha: sha()! } : null), {
    maxPages: MAX_PAGES,
  })
  const byLine = computed(() => commentsByLine(files(), list.items.value))

  /** The line that is being written about, if any. */
  const open = shallowRef<{ id: string; position: LinePosition } | null>(null)
  const extras = computed(() => new Set([...byLine.value.keys(), ...(open.value ? [open.value.id] : [])]))
  /** Only what the commit changed can be commented on at its line. */
  const begin = (file: DiffFile, line: DiffLine) => {
    if (reason.value || line.kind === 'context') return
    open.value = { id: lineId(file, line), position: positionOf(file, line) }
  }
  /** Replies to an existing thread. */
  const reply = (id: string) => {
    const [first] = byLine.value.get(id) ?? []
    if (first?.path && first.line !== null)
      open.value = {
        id,
        position: { path: first.path, line: first.line, line_type: first.line_type ?? 'new' },
      }
  }

  const post = useAction({
    run: (note: string, position: LinePosition | null) =>
      api('POST /projects/:id/repository/commits/:sha/comments', {
        id: project.value.id,
        sha: sha() ?? '',
        note,
        ...position,
      }),
    invalidates: [ENDPOINT],
    report: 'form',
    onDone: () => {
      open.value = null
    },
  })
  const reason = computed(() => {
    if (!session.user) return t('common.sign_in_to_comment')
    if (project.value.archived) return t('common.the_project_is_archived_comments_are')
    return can('create_commit_note', project.value) ? null : t('common.only_members_can_comment')
  })
  return { list, byLine, extras, open, begin, reply, post, reason }
}
