import { computed, reactive, ref } from 'vue'
import { api } from '../../api/client.ts'
import type { Project } from '../../api/types.ts'
import { newLinks, pathOfLink, saveLinks, type DraftLink } from './links.ts'
import { localTime, type Release } from './release.ts'

export type PickedMilestone = { id: number; title: string }

/** The fields of a release, for a new one and for one that is there. */
export const useReleaseForm = (project: () => Project) => {
  let next = 0
  const form = reactive({
    tag: '',
    ref: project().default_branch ?? '',
    message: '',
    name: '',
    description: '',
    /** Local time; empty for the moment in which it is made. */
    releasedAt: '',
    milestones: [] as PickedMilestone[],
    links: [] as DraftLink[],
  })
  /** The tag is not there yet and has to be made. */
  const isNewTag = ref(false)
  const stored = ref<Release | null>(null)

  const addLink = () =>
    void form.links.push({ key: next++, name: '', url: '', path: '', type: 'other', stored: null })
  const dropLink = (key: number) => {
    form.links = form.links.filter((link) => link.key !== key)
  }
  const take = (release: Release) => {
    form.tag = release.tag_name ?? ''
    form.name = release.name
    form.description = release.description ?? ''
    form.releasedAt = localTime(release.released_at)
    form.milestones = (release.milestones ?? []).map(({ id, title }) => ({ id, title }))
    form.links = release.assets.links.map((link) => ({
      key: next++,
      name: link.name,
      url: link.url,
      path: pathOfLink(link),
      type: link.link_type,
      stored: link,
    }))
    stored.value = release
  }

  const fields = () => ({
    name: form.name.trim() || null,
    description: form.description || null,
    milestone_ids: form.milestones.map((one) => one.id),
    ...moment(),
  })
  /** Seconds are lost in the field, so a moment that was not touched is not sent. */
  const moment = () => {
    const isTouched = stored.value === null || form.releasedAt !== localTime(stored.value.released_at)
    return isTouched && form.releasedAt ? { released_at: new Date(form.releasedAt).toISOString() } : {}
  }
  const create = () =>
    api('POST /projects/:id/releases', {
      id: project().id,
      tag_name: form.tag.trim(),
      ...(isNewTag.value
        ? { ref: form.ref, ...(form.message.trim() ? { tag_message: form.message } : {}) }
        : {}),
      ...fields(),
      assets: { links: newLinks(form.links) },
    })
  const update = async (release: Release) => {
    const at = { id: project().id, tag_name: release.tag_name ?? '' }
    await saveLinks(form.links, release, at)
    return api('PUT /projects/:id/releases/:tag_name', { ...at, ...fields() })
  }
  const ready = computed(() => form.tag.trim() !== '' && (!isNewTag.value || form.ref !== ''))
  const send = () => (stored.value ? update(stored.value) : create())
  return { form, isNewTag, stored, take, addLink, dropLink, ready, send }
}
