import { computed, reactive, ref, watch } from 'vue'
import { api } from '../../../api/client.ts'
import { messageOf } from '../../../api/errors.ts'
import { useProject } from '../../../composables/useProject.ts'
import { useToasts } from '../../../stores/toasts.ts'
import { bytesOf, contentWithoutBytes, readContent } from '../file-content.ts'
import { formOf, NEW_TEXT } from '../edit/text-bytes.ts'
import { changedFiles, kindOf, problemOf, type Edited } from './changes.ts'
import { t } from '../../../locales/t.ts'

const isEdited = (value: unknown): value is Edited =>
  typeof value === 'object' && value !== null && 'key' in value && 'path' in value && 'text' in value

/** Reads what was kept; anything that cannot be read counts as nothing. */
const readDraft = (name: string): Edited[] => {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(name) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isEdited) : []
  } catch {
    return []
  }
}

/** The files that are edited together. Changes are kept in this browser until they are committed or discarded. */
export const useEdits = (gitRef: string, paths: () => readonly string[]) => {
  const project = useProject()
  const toasts = useToasts()
  const name = `deskforge.edits.${project.value.id}.${gitRef}`
  const files = reactive<Edited[]>(readDraft(name))
  const wasKept = files.length > 0
  const current = ref<string | null>(null)
  const isOpening = ref(false)
  /** The browser has no room for the draft. */
  const isTooLarge = ref(false)
  const changed = computed(() => changedFiles(files))
  const known = computed(() => new Set(paths()))
  const problems = computed(
    () =>
      new Map(
        changed.value.flatMap((file): [string, string][] => {
          const problem = problemOf(file, files, known.value)
          return problem ? [[file.key, problem]] : []
        }),
      ),
  )

  const keep = () => {
    try {
      if (changed.value.length === 0) localStorage.removeItem(name)
      else localStorage.setItem(name, JSON.stringify(changed.value))
      isTooLarge.value = false
    } catch {
      isTooLarge.value = true
    }
  }
  let isOver = false
  watch(files, () => isOver || keep(), { deep: true })

  /** The file that the user asked for last. */
  let asked = ''
  const open = async (path: string) => {
    asked = path
    const there = files.find((file) => file.former === path)
    if (there) {
      isOpening.value = false
      return void (current.value = there.key)
    }
    const before = current.value
    // What is typed while a file loads must not go to the one before.
    current.value = null
    isOpening.value = true
    try {
      const { id } = project.value
      const data = await api('GET /projects/:id/repository/files/:file_path', {
        id,
        file_path: path,
        ref: gitRef,
      })
      const content = contentWithoutBytes(path, data.size, true) ?? readContent(data.content)
      const text = content.kind === 'text' ? content.text : ''
      if (files.every((file) => file.former !== path))
        files.push({
          key: `at ${path}`,
          former: path,
          path,
          before: text,
          text,
          form: content.kind === 'text' ? formOf(bytesOf(data.content), content.line_ending) : NEW_TEXT,
          last_commit_id: data.last_commit_id,
          isText: content.kind === 'text',
          deleted: false,
        })
      if (asked === path) current.value = `at ${path}`
    } catch (error) {
      if (asked === path) current.value = before
      toasts.show({
        text: t('repository.path_could_not_be_opened_error', { path, error: messageOf(error) }),
        kind: 'bad',
      })
    } finally {
      if (asked === path) isOpening.value = false
    }
  }
  const add = (path = '') => {
    asked = ''
    isOpening.value = false
    const key = `new ${Date.now()} ${files.length}`
    const made = { former: null, before: '', text: '', form: NEW_TEXT, last_commit_id: null, isText: true }
    files.push({ key, path, deleted: false, ...made })
    current.value = key
  }
  const forget = (file: Edited) => {
    const at = files.indexOf(file)
    if (at !== -1) files.splice(at, 1)
    if (current.value === file.key) current.value = changed.value[0]?.key ?? null
  }
  return {
    files,
    changed,
    problems,
    wasKept,
    isOpening,
    isTooLarge,
    current: computed({
      get: () => files.find((file) => file.key === current.value) ?? null,
      set: (file) => (current.value = file?.key ?? null),
    }),
    open,
    add,
    /** Takes back what was changed of a file. */
    discard: forget,
    remove: (file: Edited) => {
      if (file.former === null) forget(file)
      else file.deleted = true
    },
    discardAll: () => {
      files.splice(0)
      current.value = null
    },
    /** Forgets the kept draft after the commit. */
    finish: () => {
      isOver = true
      localStorage.removeItem(name)
    },
    kindOf,
  }
}

export type Edits = ReturnType<typeof useEdits>
