import { computed, ref } from 'vue'
import { api } from '../../api/client.ts'
import type { Project } from '../../api/types.ts'
import { useAction } from '../../api/useAction.ts'
import { ISSUES_STALE } from './issue.ts'

type Person = { id: number; name: string; username: string; avatar_url: string | null }
type Milestone = { id: number; title: string; due_date?: string | null }

/** The draft of a new issue. */
export const useIssueForm = (
  project: () => Project,
  opened: (iid: number) => void | Promise<unknown>,
  labels: readonly string[] = [],
) => {
  const form = ref({
    title: '',
    description: project().issues_template ?? '',
    type: 'issue' as 'issue' | 'incident' | 'task' | 'test_case',
    labels: [...labels],
    due: '',
    confidential: false,
  })
  const assignees = ref<Person[]>([])
  const milestone = ref<Milestone | null>(null)
  const save = useAction({
    report: 'form',
    invalidates: ISSUES_STALE,
    run: () =>
      api('POST /projects/:id/issues', {
        id: project().id,
        title: form.value.title.trim(),
        description: form.value.description,
        issue_type: form.value.type,
        labels: form.value.labels,
        assignee_ids: assignees.value.map((one) => one.id),
        milestone_id: milestone.value?.id,
        due_date: form.value.due || undefined,
        confidential: form.value.confidential,
      }),
    onDone: (issue) => opened(issue.iid),
  })
  const ready = computed(() => form.value.title.trim() !== '')
  return { form, assignees, milestone, save, ready }
}
