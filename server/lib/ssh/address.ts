/** Host name of the instance's address: `http://127.0.0.1:7080` → `127.0.0.1`. */
function hostOf(url: string): string {
  const host = url.slice(url.indexOf('//') + 2)
  return host.startsWith('[') ? host.slice(0, host.indexOf(']') + 1) : host.replace(/[:/].*$/, '')
}

/**
 * The SSH address of a repository path (without `.git`). The short form has no port, so it is used only for the default
 * one.
 */
export function sshAddress(
  path: string,
  { url, sshPort }: { readonly url: string; readonly sshPort?: number | undefined },
): string {
  const host = `git@${hostOf(url)}`
  return sshPort === undefined ? `${host}:${path}.git` : `ssh://${host}:${sshPort}/${path}.git`
}
