/** The owner of tokens. */
export type CredentialOwner = { kind: 'project' | 'group'; id: number; name: string; level: number }

/** The endpoints about tokens of both kinds of owner. */
export const AT = {
  project: {
    accessTokens: 'GET /projects/:id/access_tokens',
    makeAccessToken: 'POST /projects/:id/access_tokens',
    rotateAccessToken: 'POST /projects/:id/access_tokens/:token_id/rotate',
    revokeAccessToken: 'DELETE /projects/:id/access_tokens/:token_id',
    deployTokens: 'GET /projects/:id/deploy_tokens',
    makeDeployToken: 'POST /projects/:id/deploy_tokens',
    revokeDeployToken: 'DELETE /projects/:id/deploy_tokens/:token_id',
  },
  group: {
    accessTokens: 'GET /groups/:id/access_tokens',
    makeAccessToken: 'POST /groups/:id/access_tokens',
    rotateAccessToken: 'POST /groups/:id/access_tokens/:token_id/rotate',
    revokeAccessToken: 'DELETE /groups/:id/access_tokens/:token_id',
    deployTokens: 'GET /groups/:id/deploy_tokens',
    makeDeployToken: 'POST /groups/:id/deploy_tokens',
    revokeDeployToken: 'DELETE /groups/:id/deploy_tokens/:token_id',
  },
} as const
