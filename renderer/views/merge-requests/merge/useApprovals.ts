import { api } from '../../../api/client.ts'
import { useAction } from '../../../api/useAction.ts'
import { useApi } from '../../../api/useApi.ts'
import { useSession } from '../../../stores/session.ts'
import { STALE, useMergeRequest } from '../useMergeRequest.ts'
import { t } from '../../../locales/t.ts'

/** The approve button. Requests the password if the project requires it. */
export const APPROVE_BUTTON = 'approve-button'

/** The approvals of the merge request, and the actions to approve and revoke. */
export const useApprovals = () => {
  const { mr, at } = useMergeRequest()
  const session = useSession()
  const approvals = useApi('GET /projects/:id/merge_requests/:merge_request_iid/approvals', () =>
    session.user ? at() : null,
  )
  const state = useApi('GET /projects/:id/merge_requests/:merge_request_iid/approval_state', () =>
    session.user ? at() : null,
  )
  const approve = useAction({
    run: (password?: string) =>
      api('POST /projects/:id/merge_requests/:merge_request_iid/approve', {
        ...at(),
        ...(mr.value.sha ? { sha: mr.value.sha } : {}),
        ...(password ? { approval_password: password } : {}),
      }),
    invalidates: STALE,
    done: t('merge_requests.you_approved'),
  })
  const unapprove = useAction({
    run: () => api('POST /projects/:id/merge_requests/:merge_request_iid/unapprove', at()),
    invalidates: STALE,
    done: t('merge_requests.approval_revoked'),
  })
  return { approvals: approvals.data, state: state.data, approve, unapprove }
}
