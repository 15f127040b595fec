import { endpoint } from '../../../http/endpoint.ts'
import { as, oneOf, type Entity } from '../../../http/entity.ts'
import { text } from '../../../http/params.ts'
import { ok, page } from '../../../http/returns.ts'
import { abilities, project } from '../../projects/index.ts'
import { PgpSignatureView, signatureView, SshSignatureView, X509SignatureView } from './entity.ts'
import { commitSignature, findCommitSignature, tagSignature } from './service.ts'
import type { Signature } from './signature.ts'

const answer = oneOf(PgpSignatureView, SshSignatureView, X509SignatureView)
const viewOf = (signature: Signature) =>
  as(signatureView(signature) as unknown as Entity<Signature>, signature)

export const getCommitSignature = endpoint('GET /projects/:id/repository/commits/:sha/signature', {
  summary: 'Get the signature of a commit',
  scope: project,
  can: abilities.read_code,
  params: { sha: text({ max: 1100 }).describe('Id of the commit, or name of a branch or tag') },
  returns: ok(answer),
  run: async ({ project: owner, params, ...ctx }) => viewOf(await commitSignature(ctx, owner, params.sha)),
})

export const listCommitSignatures = endpoint('GET /-/projects/:id/repository/commits/:sha/signatures', {
  summary: 'List the signature of a commit for the window; an unsigned commit has none',
  scope: project,
  can: abilities.read_code,
  params: { sha: text({ max: 1100 }).describe('Id of the commit, or name of a branch or tag') },
  returns: page(answer, { paging: 'none' }),
  run: async ({ project: owner, params, ...ctx }) => {
    const signature = await findCommitSignature(ctx, owner, params.sha)
    const rows = signature ? [viewOf(signature)] : []
    return { rows, total: rows.length }
  },
})

export const getTagSignature = endpoint('GET /projects/:id/repository/tags/:tag_name/signature', {
  summary: 'Get the signature of a tag',
  scope: project,
  can: abilities.read_code,
  params: { tag_name: text({ max: 1100 }).describe('Name of the tag') },
  returns: ok(answer),
  run: async ({ project: owner, params, ...ctx }) => viewOf(await tagSignature(ctx, owner, params.tag_name)),
})
