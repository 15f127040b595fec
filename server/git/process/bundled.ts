import path from 'node:path'

/**
 * The environment variables with which the git of the installers finds its own files, because it was built for another
 * folder. `binary` is `<folder>/bin/git`, on Windows `<folder>/cmd/git.exe`.
 */
export function bundledEnvironment(
  binary: string,
  platform: NodeJS.Platform = process.platform,
  { PATH = '', arch = process.arch as string }: { PATH?: string; arch?: string } = {
    PATH: process.env['PATH'],
  },
): Record<string, string> {
  if (platform === 'win32') {
    const folder = path.win32.dirname(path.win32.dirname(binary))
    const inside = path.win32.join(folder, arch === 'arm64' ? 'clangarm64' : 'mingw64')
    return {
      // These folders also contain the shell that hooks and the built-in runner use.
      PATH: [path.win32.join(inside, 'bin'), path.win32.join(folder, 'usr', 'bin'), PATH].join(';'),
      GIT_EXEC_PATH: path.win32.join(inside, 'libexec', 'git-core'),
    }
  }
  const folder = path.posix.dirname(path.posix.dirname(binary))
  return {
    GIT_EXEC_PATH: `${folder}/libexec/git-core`,
    GIT_TEMPLATE_DIR: `${folder}/share/git-core/templates`,
    ...(platform === 'linux' ? { PREFIX: folder, GIT_SSL_CAINFO: `${folder}/ssl/cacert.pem` } : {}),
  }
}
