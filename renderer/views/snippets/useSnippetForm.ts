import { computed, reactive, ref, watch } from 'vue'
import { api, type Params } from '../../api/client.ts'
import type { Project, Visibility } from '../../api/types.ts'
import { useLook } from '../../composables/appearance/useLook.ts'
import { snippetText, type Snippet } from './snippet.ts'

/** A file as it is written; `before` is the path it has on the instance. */
export type DraftFile = { key: number; before: string | null; path: string; text: string; original: string }
type Action = NonNullable<Params<'PUT /snippets/:id'>['files']>[number]

/** The changes from the stored to the drafted files. */
export const fileActions = (files: readonly DraftFile[], stored: readonly string[]): Action[] => {
  const removed = stored.filter((path) => !files.some((file) => file.before === path))
  return [
    ...removed.map((path): Action => ({ action: 'delete', file_path: path })),
    ...files.flatMap((file): Action[] => {
      const { before, path: file_path, text: content } = file
      if (before === null) return [{ action: 'create', file_path, content }]
      if (before !== file_path) return [{ action: 'move', previous_path: before, file_path, content }]
      return file.text === file.original ? [] : [{ action: 'update', file_path, content }]
    }),
  ]
}

/** The fields of a snippet, for a new one and for one that is there. */
export const useSnippetForm = (project: () => Project | undefined) => {
  let next = 0
  const blank = (): DraftFile => ({ key: next++, before: null, path: '', text: '', original: '' })
  const form = reactive({
    title: '',
    description: '',
    visibility: 'private' as Visibility,
    files: [blank()],
  })
  const stored = ref<Snippet | null>(null)
  /** A new snippet has the default visibility of the instance until the user selects one. */
  const look = useLook()
  watch(
    () => look.value?.settings.snippet_visibility,
    (now, before) => {
      if (now && !stored.value && form.visibility === (before ?? 'private')) form.visibility = now
    },
    { immediate: true },
  )

  /** Takes over a stored snippet with the texts of its files. */
  const take = async (snippet: Snippet) => {
    const texts = await Promise.all(snippet.files.map((file) => snippetText(snippet, file)))
    form.title = snippet.title
    form.description = snippet.description ?? ''
    form.visibility = snippet.visibility as Visibility
    form.files = snippet.files.map((file, index) => {
      const text = texts[index] ?? ''
      return { key: next++, before: file.path, path: file.path, text, original: text }
    })
    stored.value = snippet
  }
  const add = () => void form.files.push(blank())
  const drop = (key: number) => {
    form.files = form.files.filter((file) => file.key !== key)
  }
  const ready = computed(
    () => form.title.trim() !== '' && form.files.every((file) => file.path.trim() !== '' && file.text !== ''),
  )

  const fields = () => ({
    title: form.title,
    description: form.description || null,
    visibility: form.visibility,
  })
  const create = () => {
    const files = form.files.map(({ path, text }) => ({ file_path: path, content: text }))
    const owner = project()
    return owner
      ? api('POST /projects/:id/snippets', { id: owner.id, ...fields(), files })
      : api('POST /snippets', { ...fields(), files })
  }
  const update = (snippet: Snippet) => {
    const files = fileActions(
      form.files,
      snippet.files.map((file) => file.path),
    )
    const input = { ...fields(), ...(files.length > 0 ? { files } : {}) }
    const owner = project()
    return owner
      ? api('PUT /projects/:id/snippets/:snippet_id', { id: owner.id, snippet_id: snippet.id, ...input })
      : api('PUT /snippets/:id', { id: snippet.id, ...input })
  }
  const send = () => (stored.value ? update(stored.value) : create())
  return { form, stored, take, add, drop, ready, send }
}
