import { computed, reactive, ref, shallowRef } from 'vue'
import { ApiError } from '../../api/client.ts'
import { useAction } from '../../api/useAction.ts'
import { FORMATS, STALE, wikiWrites, type WikiDetail, type WikiFormat, type Wiki } from './wiki.ts'

const CONFLICT = 409

const isWritable = (format: string): format is WikiFormat => FORMATS.some((one) => one.value === format)

/** The path of a page as people write it: `guide/First steps`. */
export const pathText = (page: Pick<WikiDetail, 'slug' | 'title'>): string => {
  const folder = page.slug.split('/').slice(0, -1).join('/')
  return folder ? `${folder}/${page.title}` : page.title
}

/** A page that is written: a new one, or one that is there. */
export const usePageForm = (
  wiki: () => Wiki,
  start: { title: string },
  onSaved: (slug: string) => Promise<unknown>,
) => {
  const form = reactive({
    title: start.title,
    content: '',
    format: 'markdown' as WikiFormat,
    message: '',
  })
  /** As the page was when its text was taken. */
  const original = shallowRef<WikiDetail | null>(null)
  const isConflict = ref(false)

  const take = (page: WikiDetail) => {
    original.value = page
    form.title = pathText(page)
    form.content = page.content
    if (isWritable(page.format)) form.format = page.format
    isConflict.value = false
  }

  const isMoved = computed(() => original.value !== null && form.title.trim() !== pathText(original.value))
  const isDirty = computed(() => {
    const before = original.value
    if (!before) return form.content !== '' || form.title !== start.title
    return (
      isMoved.value ||
      form.content !== before.content ||
      (isWritable(before.format) && form.format !== before.format)
    )
  })
  const ready = computed(() => form.title.trim() !== '' && (original.value === null || isDirty.value))

  const write = (isForced: boolean) => {
    const before = original.value
    const message = form.message.trim() || undefined
    const { content, format } = form
    const title = form.title.trim()
    const said = message === undefined ? {} : { message }
    if (!before) return wikiWrites(wiki()).create({ title, content, format, ...said })
    return wikiWrites(wiki()).update(before.slug, {
      content,
      format,
      // The title is the full path; without a slash the page would stay in its folder.
      ...(isMoved.value ? { title: title.startsWith('/') ? title : `/${title}` } : {}),
      ...said,
      ...(before.last_version && !isForced ? { last_commit_sha: before.last_version.id } : {}),
    })
  }

  const save = useAction({
    report: 'form',
    invalidates: STALE,
    run: async (isForced: boolean) => {
      try {
        return await write(isForced)
      } catch (error) {
        isConflict.value = error instanceof ApiError && error.status === CONFLICT
        throw error
      }
    },
    onDone: (page) => onSaved(page.slug),
  })
  return { form, original, take, isDirty, isMoved, isConflict, ready, save }
}
