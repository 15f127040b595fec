// Runs before the first paint, so that a chosen scheme never flashes in the other one.
try {
  const theme = JSON.parse(localStorage.getItem('deskforge.preferences') || '{}').theme
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // A blocked or damaged storage means: follow the system.
}
