import type { Ctx } from '../../../ctx.ts'
import { findTag } from '../../../git/refs.ts'
import { resolveCommit } from '../../../git/revisions.ts'
import { readSigned, type SignedObject } from '../../../git/signed.ts'
import type { Repo } from '../../../git/types.ts'
import { notFound } from '../../../lib/fail.ts'
import type { Project } from '../../projects/index.ts'
import { inRepository } from '../repo.ts'
import { judgePgp } from './pgp.ts'
import type { Signature } from './signature.ts'
import { judgeSsh } from './ssh.ts'
import { judgeX509 } from './x509.ts'

/** The signature of a commit. Throws `404 Commit Not Found`, or `404 Signature Not Found` where it has none. */
export function commitSignature(ctx: Ctx, project: Project, reference: string): Promise<Signature> {
  return inRepository(ctx, project, async (repo) => {
    const id = await resolveCommit(repo, reference)
    if (id === null) throw notFound('Commit')
    return judge(ctx, repo, id)
  })
}

/** The signature of an annotated tag. Throws `404 Tag Not Found`, or `404 Signature Not Found` where it has none. */
export function tagSignature(ctx: Ctx, project: Project, name: string): Promise<Signature> {
  return inRepository(ctx, project, async (repo) => {
    const tag = await findTag(repo, name)
    if (tag === null) throw notFound('Tag')
    // A plain tag is its commit; the signature of that is not the tag's.
    if (tag.target === tag.commit) throw notFound('Signature')
    return judge(ctx, repo, tag.target)
  })
}

async function judge(ctx: Ctx, repo: Repo, id: string): Promise<Signature> {
  const object = await readSigned(repo, id)
  const judged = object && JUDGES.find(([head]) => object.signature.startsWith(head))
  if (!judged) throw notFound('Signature')
  return judged[1](ctx, object)
}

const JUDGES: readonly (readonly [head: string, (ctx: Ctx, object: SignedObject) => Promise<Signature>])[] = [
  ['-----BEGIN PGP SIGNATURE-----', judgePgp],
  ['-----BEGIN SSH SIGNATURE-----', judgeSsh],
  ['-----BEGIN SIGNED MESSAGE-----', judgeX509],
]
