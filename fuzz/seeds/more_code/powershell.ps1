pP7
# Gets.
function Get-User {
    param([int]$Id)
    return $Id
}
